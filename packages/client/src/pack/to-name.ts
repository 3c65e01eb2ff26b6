/** `text` as a DNS label: lower case, other characters as "-", from a letter on, 63 at most; empty if nothing is left. */
export function toName(text: string): string {
  return (
    text
      .normalize('NFKD')
      // Marks that NFKD took off their letters: é is e.
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^[^a-z]+/, '')
      .slice(0, 63)
      .replace(/-+$/, '')
  );
}
