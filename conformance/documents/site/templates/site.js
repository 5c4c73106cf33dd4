// The search of all pages: verbs, rules, guides and Go names. Its index is loaded when it is first used.
const find = document.getElementById("find"), hits = document.getElementById("hits");
if (find) {
  let index;
  const load = () => {
    if (index) return index;
    return index = new Promise(done => {
      const s = document.createElement("script");
      s.src = "index.js";
      s.onload = () => done(siteIndex.map(e => [e, e[1].toLowerCase(), (e[1] + " " + e[2]).toLowerCase()]));
      document.head.append(s);
    });
  };
  const kinds = ["verb", "Go", "guide", "rule"];
  const run = async () => {
    const query = find.value.toLowerCase().trim(), words = query.split(/\s+/).filter(Boolean), list = [];
    for (const [e, title, all] of await load()) {
      if (!words.length || !words.every(w => all.includes(w))) continue;
      const short = title.split(".").pop(); // RegMR of verbs.PD.RegMR
      const rank = title === query || short === query ? 0 : title.startsWith(query) || short.startsWith(query) ? 1 : words.every(w => title.includes(w)) ? 2 : 3;
      list.push([rank * 10 + kinds.indexOf(e[0]), e]);
    }
    list.sort((a, b) => a[0] - b[0] || a[1][1].length - b[1][1].length);
    hits.replaceChildren(...list.slice(0, 30).map(([, [kind, title, text, link]]) => {
      const li = document.createElement("li"), a = document.createElement("a"), k = document.createElement("small"), t = document.createElement("span");
      a.href = link;
      a.textContent = title;
      k.textContent = kind;
      t.textContent = text;
      li.append(k, a, t);
      return li;
    }));
    if (words.length && !list.length) hits.textContent = "nothing found";
    hits.hidden = !words.length;
  };
  find.addEventListener("focus", load);
  find.addEventListener("input", run);
  find.addEventListener("keydown", e => {
    if (e.key === "Enter") hits.querySelector("a")?.click();
    if (e.key === "Escape") hits.hidden = true;
  });
  hits.addEventListener("click", () => { hits.hidden = true; });
  document.addEventListener("click", e => { if (!e.target.closest(".find")) hits.hidden = true; });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { e.preventDefault(); find.focus(); }
  });
  const asked = new URLSearchParams(location.search).get("find");
  if (asked) { find.value = asked; run(); }
}
// The search of one page: entries whose text has every word stay, and groups without entries go. ?q= begins with a search.
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
// A link to a rule opens the argument that it is folded in.
const unfold = () => {
  const at = document.getElementById(decodeURIComponent(location.hash.slice(1))), fold = at && at.closest("details");
  if (fold && !fold.open) { fold.open = true; at.scrollIntoView(); }
};
addEventListener("hashchange", unfold);
unfold();
// The contents are open beside a page, and folded above it where there is no room.
const toc = document.querySelector(".toc");
if (toc) toc.open = matchMedia("(min-width: 70rem)").matches;
