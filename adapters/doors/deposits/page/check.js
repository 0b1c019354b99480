// Is a manifest one?

import { checkManifest } from "./api.js";
import { find } from "./dom.js";

export function startCheck() {
  find("check").addEventListener("submit", async (x) => {
    x.preventDefault();
    const out = find("checked");
    const file = find("manifest").files[0];
    if (!file) return;
    out.className = "faint";
    out.textContent = "It is read.";
    try {
      const { kind, rows } = await checkManifest(file);
      out.className = "good";
      out.textContent = `${file.name} is a good ${kind} of ${rows} rows.`;
    } catch (why) {
      out.className = "bad";
      out.textContent = `${file.name}: ${why.message}`;
    }
  });
}
