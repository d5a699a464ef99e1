/** The words of the window in the language of the settings, reactive: a change of language redraws. */
import type english from "../../locales/en.json";

export type Language = "en" | "zh-CN";
export type Key = keyof typeof english;
/** A key with the forms `KEY.one` and `KEY.other`. */
export type CountKey = {
  [K in Key]: K extends `${infer Base}.other` ? (`${Base}.one` extends Key ? Base : never) : never;
}[Key];
export type Values = Record<string, string | number>;

const en = textsOf("en");

let language = $state<Language>("en");
let catalogue = $state.raw<Record<string, string>>(en);

/** The language in use, as a BCP 47 tag. */
export function currentLanguage(): Language {
  return language;
}

/** Switches the words at once. */
export function setLanguage(next: Language): void {
  catalogue = next === "en" ? en : textsOf(next);
  language = next;
  document.documentElement.lang = next;
}

/** The text of `key`, `{name}` replaced by `values.name`. */
export function t(key: Key, values: Values = {}): string {
  return fill(catalogue[key] ?? en[key] ?? key, values);
}

/** The form of `key` for `count`, which is also `{count}`. */
export function tn(key: CountKey, count: number, values: Values = {}): string {
  const form = count === 1 ? "one" : "other";
  return t(`${key}.${form}` as Key, { count: formatNumber(count), ...values });
}

/** The word for a stable code of the shell (`PREFIX.CODE`), or the code itself where it has none. */
export function tCode(prefix: "code" | "source" | "tool" | "event" | "refused", code: string): string {
  const key = `${prefix}.${code}`;
  return catalogue[key] ?? en[key] ?? code;
}

/** The texts that the build put into the page. */
function textsOf(name: Language): Record<string, string> {
  const template = document.getElementById(name);
  return template instanceof HTMLTemplateElement ? JSON.parse(template.content.textContent ?? "{}") : {};
}

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

/** `{name}` placeholders; an unknown one stays visible. */
export function fill(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : String(value);
  });
}
