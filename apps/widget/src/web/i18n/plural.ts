/** The plural form of a language for a count; `other` if that form is not given. */
export function plural(
  language: string,
  count: number,
  forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string },
): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}
