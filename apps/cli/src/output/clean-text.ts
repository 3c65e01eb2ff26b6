/**
 * What a terminal acts on instead of showing it (ECMA-48): strings that end with BEL or ST (OSC, DCS, APC, PM, SOS),
 * control sequences, and escapes of two or three bytes; then whatever else is a control character.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Select Graphic Rendition: colour and weight, and nothing else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const COLOUR = /^\x1b\[[0-9;:]*m$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const RESET_NEEDED = /\x1b\[/;

/**
 * Text of a service, a build or a server, safe to print: it can't move the cursor, retitle the window or write to the
 * clipboard. Tabs and newlines stay. Colours stay with `keepsColour`, and end with the text.
 */
export function cleanText(text: string, { keepsColour = false } = {}): string {
  const clean = text.replace(SEQUENCES, (sequence) => (keepsColour && COLOUR.test(sequence) ? sequence : ''));
  return keepsColour && RESET_NEEDED.test(clean) ? `${clean}\x1b[0m` : clean;
}
