type Shown = Record<string, unknown>;

/** Files that the page runs beside a chat: HTML documents and React components. */
const ARTIFACT_FILE = /\.(?:html?|jsx|tsx)$/i;

const TEXT_KEYS: Readonly<Record<string, readonly string[]>> = {
  write_file: ['content'],
  edit_file: ['old_text', 'new_text', 'all'],
};

/**
 * Returns what reads the arguments that an audience needs of a chat's steps, in their order: path and text of the pages and components
 * that the chat wrote as files. Edits of a file that was there before stay private, since they quote it.
 */
export function createArtifactReader() {
  const written = new Set<string>();
  return ({ type, ok, tool_name: tool, args }: Shown): { readonly args: string } | undefined => {
    const keys = type === 'step' && ok === true && Object.hasOwn(TEXT_KEYS, String(tool)) && TEXT_KEYS[String(tool)];
    if (!keys || typeof args !== 'string') return undefined;
    const given = parseArgs(args);
    const path = given['path'];
    if (typeof path !== 'string' || !ARTIFACT_FILE.test(path)) return undefined;
    if (tool === 'write_file') written.add(path);
    if (!written.has(path)) return undefined;
    const shown = ['path', ...keys].filter((key) => ['string', 'boolean'].includes(typeof given[key]));
    return { args: JSON.stringify(Object.fromEntries(shown.map((key) => [key, given[key]]))) };
  };
}

function parseArgs(args: string): Shown {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null ? (value as Shown) : {};
  } catch {
    return {};
  }
}
