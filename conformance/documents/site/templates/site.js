// Search: entries whose text has every word stay, and groups without entries go. ?q= begins with a search.
const search = document.getElementById("search"), found = document.getElementById("found");
if (search) {
  const entries = [...document.querySelectorAll(".entry")], groups = [...document.querySelectorAll(".group")];
  const run = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const e of entries) {
      e.hidden = !words.every(w => e.dataset.text.includes(w));
      if (!e.hidden) n++;
    }
    for (const g of groups) g.hidden = !g.querySelector(".entry:not([hidden])");
    found.textContent = words.length ? n + " found" : "";
  };
  search.value = new URLSearchParams(location.search).get("q") || "";
  search.addEventListener("input", run);
  run();
}
const lints = document.getElementById("lints");
if (lints) lints.addEventListener("change", () => {
  for (const r of document.querySelectorAll(".rule.lint")) r.hidden = !lints.checked;
});
