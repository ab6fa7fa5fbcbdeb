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
    for (const row of body.rows) row.hidden = true;
    body.append(...rows.map((entry) => entry[1]));
    for (const cell of table.tHead.rows[0].cells) cell.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", now);
  };

  // Only the first rows are laid out: thousands take seconds.
  const STEP = 200;
  const wire = (input) => {
    const id = input.dataset.for;
    const table = document.getElementById(id);
    const output = document.querySelector(`output[data-of="${id}"]`);
    const more = document.querySelector(`button[data-more="${id}"]`);
    let limit = STEP;

    const show = () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      for (const row of table.tBodies[0].rows) {
        const words = wanted.length ? row.textContent.toLowerCase() : "";
        const fits = wanted.every((word) => words.includes(word));
        found += fits ? 1 : 0;
        row.hidden = !fits || found > limit;
      }
      const all = table.tBodies[0].rows.length;
      const cut = found > limit ? `, the first ${limit} shown` : "";
      output.textContent = (wanted.length ? `${found} of ${all} rows` : `${all} rows`) + cut;
      more.hidden = found <= limit;
    };

    const showAll = () => {
      limit = Infinity;
      show();
    };

    for (const head of table.tHead.rows[0].cells)
      head.firstElementChild.addEventListener("click", () => {
        sort(table, head);
        show();
      });
    input.addEventListener("input", show);
    more.addEventListener("click", showAll);
    window.addEventListener("beforeprint", showAll);
    show();
  };

  document.querySelectorAll("input[data-for]").forEach(wire);
})();
