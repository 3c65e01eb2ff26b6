/** Escapes text for an element or a quoted attribute of XML; drops characters that XML can't hold. */
export function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 can't hold them
      .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
      .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  );
}
