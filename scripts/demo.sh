#!/bin/sh
# The main job on real input: three kinds of specs in, plain questions answered, before and after
# clearer text was written beside the original (by the writer that needs no model).
set -eu
GLOSS_DATA_DIR="$PWD/build/demo"
export GLOSS_DATA_DIR
unset GLOSS_DATABASE_URL GLOSS_CONFIG
rm -rf "$GLOSS_DATA_DIR"
mkdir -p build

gloss db start > /dev/null
trap 'gloss db stop > /dev/null' EXIT

ask() {
  printf '  asked  %s\n  first  %s\n' "$1" "$(gloss search "$1" -k 1 | cut -f2,4)"
}
ask_all() {
  ask "who manages this customer's account"
  ask "which invoices are overdue"
  ask "move stock from one warehouse to another"
}

gloss ingest sample_specs 2> /dev/null
gloss index
echo
echo "As the specs have it:"
ask_all

echo
gloss opt-in crm hr inventory billing 2> /dev/null
gloss enrich --apply 2> /dev/null || true
gloss index
echo
echo "With clearer text beside the original:"
ask_all
