/**
 * Sequences that a terminal interprets (ECMA-48): strings that end with BEL or ST (OSC, DCS, APC, PM, SOS), control sequences, escapes of
 * two or three bytes, and other control characters.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Select Graphic Rendition: color and weight only. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const COLOUR = /^\x1b\[[0-9;:]*m$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const RESET_NEEDED = /\x1b\[/;

/**
 * Makes text of a service, a build or a server safe to print: it can't move the cursor, rename the window or write to the clipboard.
 * Tabs and newlines are kept. With `keepsColour` colors are kept and reset at the end.
 */
export function cleanText(text: string, { keepsColour = false } = {}): string {
  const clean = text.replace(SEQUENCES, (sequence) => (keepsColour && COLOUR.test(sequence) ? sequence : ''));
  return keepsColour && RESET_NEEDED.test(clean) ? `${clean}\x1b[0m` : clean;
}
