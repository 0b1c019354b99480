// Light or dark before anything is painted. A classic script for that reason.
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch (_) {
    // Storage is switched off: what the system says holds.
  }
  if (chosen === "dark" || chosen === "light")
    document.documentElement.dataset.theme = chosen;
})();
