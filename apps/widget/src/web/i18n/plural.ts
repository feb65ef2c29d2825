/** The form of a language for a count; `other` where it has no form of its own. */
export function plural(
  language: string,
  count: number,
  forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string },
): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}
