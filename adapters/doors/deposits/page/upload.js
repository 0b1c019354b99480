// Files on their way in: one after the other, each with its progress.

import { session, upload } from "./api.js";
import { bytes, element, find } from "./dom.js";

const shown_max = 100; // lines of files
let last = Promise.resolve();

async function send(file, operation, line, arrived) {
  const bar = element("progress", { max: 1, value: 0,
    "aria-label": `${file.name} is sent` });
  const text = element("span", {}, "");
  line.append(bar, text);
  try {
    const { id } = await upload(file, operation, (sent, all) => {
      bar.value = sent / all;
      text.textContent = `${bytes(sent)} of ${bytes(all)}`;
    });
    text.textContent = `received as submission ${id}`;
    text.className = "good";
    arrived();
  } catch (why) {
    text.textContent = why.message;
    text.className = "bad";
  }
  bar.remove();
}

function take(files, arrived) {
  const operation = find("operation").value;
  const name = session.name;
  for (const file of files) {
    const line = element("li", {}, element("strong", {}, file.name), " ");
    find("uploads").prepend(line);
    while (find("uploads").children.length > shown_max)
      find("uploads").lastElementChild.remove();
    if (file.size > session.file_bytes_max) {
      line.append(element("span", { class: "bad" }, "larger than "
        + bytes(session.file_bytes_max)));
      continue;
    }
    // Nothing is sent in the name of whoever logs in meanwhile.
    last = last.then(() => (session.name === name
      ? send(file, operation, line, arrived)
      : line.append(element("span", { class: "bad" }, "not sent"))));
  }
}

export function startUploads(arrived) {
  const form = find("upload");
  const input = find("files");
  form.addEventListener("submit", (x) => {
    x.preventDefault();
    take([...input.files], arrived);
    form.reset();
  });
  for (const kind of ["dragenter", "dragover"])
    form.addEventListener(kind, (x) => {
      x.preventDefault();
      form.classList.add("over");
    });
  for (const kind of ["dragleave", "drop"])
    form.addEventListener(kind, () => form.classList.remove("over"));
  form.addEventListener("drop", (x) => {
    x.preventDefault();
    take([...x.dataTransfer.files], arrived);
  });
  // A file that misses the form must not replace the page.
  for (const kind of ["dragover", "drop"])
    window.addEventListener(kind, (x) => x.preventDefault());
}

export function showOperations(words) {
  find("operation").replaceChildren(
    ...words.map((x) => element("option", { value: x }, x)));
}
