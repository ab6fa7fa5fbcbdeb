"use strict";
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.v);
  };
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));

  // Numbers sort from the greatest at the first click, words from the first letter.
  const sort = (table, head) => {
    const column = head.cellIndex;
    const was = head.getAttribute("aria-sort");
    const first = head.classList.contains("n") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const now = was === first ? other : first;
    const sign = now === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort((a, b) => sign * compare(a[0], b[0]));
    body.append(...rows.map((entry) => entry[1]));
    for (const cell of table.tHead.rows[0].cells) cell.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", now);
  };

  const filter = (table, output, text) => {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const words = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => words.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    const all = table.tBodies[0].rows.length;
    output.textContent = wanted.length ? `${shown} of ${all} rows` : `${all} rows`;
  };

  for (const input of document.querySelectorAll("input[data-for]")) {
    const table = document.getElementById(input.dataset.for);
    const output = document.querySelector(`output[data-of="${input.dataset.for}"]`);
    for (const head of table.tHead.rows[0].cells)
      head.firstElementChild.addEventListener("click", () => sort(table, head));
    input.addEventListener("input", () => filter(table, output, input.value));
    filter(table, output, input.value);
  }
})();
