# Faults in what `gloss … --json` prints, one line each: workflow commands on GitHub
# (::warning file=…,line=…::…), else `warning: FILE:LINE: …` as compilers write it.

def data: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
def property: data | gsub(":"; "%3A") | gsub(","; "%2C");
def below: split($root) | join("");
def number: [scan("line ([0-9]+)")[0] | tonumber][0];
def said($level; $file; $line; $message):
  if $forge != "" then
    "::\($level) file=\($file | below | property)"
    + (if $line then ",line=\($line)" else "" end) + "::\($message | data)"
  else
    "\($level): \($file | below)" + (if $line then ":\($line)" else "" end) + ": \($message)"
  end;

def of_ingest:
  .sources[] | .source as $file | .problems[] | select(.level != "note")
  | (.location | split(":")) as $parts
  | (if ($parts | length) > 1 and ($parts[-1] | test("^[0-9]+$"))
     then ($parts[-1] | tonumber) else (.message | number) end) as $line
  | (if .location == $file then "" else "\(.location): " end) as $place
  | said(.level; $file; $line; "\($place)\(.message)" | below | ltrimstr("\($file | below): "));

def of_import:
  .file as $file
  | (.unread[] | said("error"; $file; .line; .message)),
    (.tools[] | select(.outcome == "refused" or .outcome == "conflict")
     | said("error"; $file; .line; "\(.tool): \(.outcome): \(.reason)"));

def line_of($query):
  [$cases | split("\n") | to_entries[]
   | select((.value | fromjson? | .query) == $query) | .key + 1][0];

def of_eval:
  .suites[]
  | (if .["hit@1"].mean < ($min | tonumber) then "warning" else "notice" end) as $level
  | said($level; $suite; null; "hit@1 is \(.["hit@1"].mean * 1000 | round / 1000) over \(.n) cases"),
    (if $level == "warning" then .misses[]
       | said($level; $suite; line_of(.query);
              "\(.query): \(.right | join(", ")) is not first; found: \(.found | join(", "))")
     else empty end);

if $kind == "ingest" then of_ingest elif $kind == "import" then of_import else of_eval end
