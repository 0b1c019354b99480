// Who are you? Once that is known, the page goes on where it was.

import * as api from "./api.js";
import { enter } from "./state.js";
import { trouble } from "./parts.js";

export const Login = {
  data: () => ({ problem: null, running: false }),
  mounted() {
    this.$el.querySelector("input").focus();
  },
  methods: {
    async submit(event) {
      event.preventDefault();
      const fields = event.target.elements;
      this.running = true;
      this.problem = null;
      try {
        await enter(await api.logIn(fields.name.value.trim(),
                                    fields.password.value));
      } catch (problem) {
        this.problem = problem.status === 429 && problem.retryAfter
          ? new Error(`Too many tries. Wait ${problem.retryAfter} s.`)
          : problem;
        fields.password.value = "";
        fields.password.focus();
      } finally {
        this.running = false;
      }
    },
  },
  render(h) {
    const field = (name, label, type, complete) => h("div", {
      class: "field" }, [
      h("label", { attrs: { for: name } }, label),
      h("input", { attrs: { id: name, name, type, required: true,
                            autocomplete: complete, maxlength: 1024 } }),
    ]);
    return h("main", { class: "login" }, [
      h("form", { on: { submit: this.submit } }, [
        h("h1", "depositd"),
        h("p", { class: "quiet" }, "For operators of this engine."),
        field("name", "Name", "text", "username"),
        field("password", "Password", "password", "current-password"),
        this.problem ? trouble(h, this.problem) : null,
        h("button", { class: "main", attrs: { type: "submit",
                                              disabled: this.running } },
          "Log in"),
      ]),
    ]);
  },
};
