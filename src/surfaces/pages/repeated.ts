/** Told in the answer, and to the operator, of a call that had nothing left to do. */
export function repeated({ deduplicated }: { readonly deduplicated: boolean }): { deduplicated?: true } {
  return deduplicated ? { deduplicated: true } : {};
}
