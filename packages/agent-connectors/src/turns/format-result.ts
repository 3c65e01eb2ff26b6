import { randomBytes } from 'node:crypto';
import type { ToolContext, ToolFiles } from '@berth/agent-core';
import type { Connector } from '../connector/connector.ts';
import type { RemoteResult } from '../mcp/call-tool.ts';
import { isObject } from '../mcp/plain-schema.ts';

/** Maximum length of a result, as the agent loop passes it to a model. */
const MAX_TEXT = 40_000;
const BEGINNING = 4_000;
const MAX_SHAPE_NAMES = 20;
const MAX_FILES = 10;
const MAX_FILE_BYTES = 10_000_000;
/** Files kept per connector and workspace; older ones are moved to the trash. */
const KEPT_FILES = 50;

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/markdown': 'md',
  'text/html': 'html',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
};
const SHOWN: readonly string[] = ['png', 'jpg', 'gif', 'webp'];

/** A tool result to format, and the call that it came from. */
export interface FormattedResult {
  readonly result: Pick<RemoteResult, 'text' | 'isJson' | 'files'>;
  readonly connector: Pick<Connector, 'name'>;
  readonly tool: string;
  readonly context: Pick<ToolContext, 'files' | 'show'>;
  readonly nowMs: number;
}

/**
 * Returns the text of a result for the model. A text that is too long is written to a workspace file, and the model
 * gets its path and shape. Images and documents are written to files too, and images are shown.
 */
export async function formatResult({ result, connector, tool, context, nowMs }: FormattedResult): Promise<string> {
  const { text, isJson, files: results } = result;
  const { files, show } = context;
  const told: string[] = [];
  /** Writes a new file, e.g. `connectors/github/20261121-204512-search-1f3a.json`, and returns its path. */
  const keep = async (bytes: Uint8Array, ending: string) => {
    const [date, time = ''] = new Date(nowMs).toISOString().split('T');
    const stamp = `${date?.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
    const what = tool.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60);
    const path = `connectors/${connector.name}/${stamp}-${what}-${randomBytes(2).toString('hex')}.${ending}`;
    await files?.write(path, bytes);
    return path;
  };
  for (const { mediaType, bytes } of results.slice(0, MAX_FILES)) {
    const ending = ENDINGS[mediaType] ?? 'bin';
    const what = `${mediaType || 'a file'}, ${bytes.byteLength} bytes`;
    if (!files || bytes.byteLength > MAX_FILE_BYTES) {
      told.push(`[A file came with it and is not kept: ${what}]`);
      continue;
    }
    const path = await keep(bytes, ending);
    if (SHOWN.includes(ending)) show({ type: 'image', src: path });
    told.push(`[A file came with it: ${path} (${what})]`);
  }
  if (results.length > MAX_FILES) told.push(`[${results.length - MAX_FILES} more files are not kept]`);
  if (text.length <= MAX_TEXT || !files) told.unshift(text);
  else {
    const json = isJson || /^\s*[[{]/.test(text) ? describeJson(text) : undefined;
    const path = await keep(Buffer.from(json?.pretty ?? text), json ? 'json' : 'txt');
    const is = json ? ` It is ${json.shape}.` : '';
    told.unshift(
      `The result has ${text.length} characters: all of it is in the file ${path}.${is} It begins:\n${text.slice(0, BEGINNING).toWellFormed()}`,
    );
  }
  if (files && (results.length > 0 || text.length > MAX_TEXT)) await tidy(files, `connectors/${connector.name}`);
  return told.filter((one) => one !== '').join('\n\n');
}

/** Removes the oldest files that this formatter wrote. Users may keep files of their own in the folder. */
async function tidy(files: ToolFiles, folder: string): Promise<void> {
  const kept = (await files.list(folder, { recursive: false }))
    .filter(({ type, path }) => type === 'file' && /\/\d{8}-\d{6}-[^/]*-[0-9a-f]{4}\.\w+$/.test(path))
    .map(({ path }) => path)
    .sort();
  for (const path of kept.slice(0, Math.max(0, kept.length - KEPT_FILES))) await files.remove(path);
}

/** Describes the shape of a long JSON text for a model that will query it; undefined when the text isn't JSON. */
export function describeJson(text: string): { readonly shape: string; readonly pretty: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // One value per line, so that the file can be searched and read in parts.
    return { shape: shapeOf(value, 2), pretty: JSON.stringify(value, undefined, 1) };
  } catch {
    return undefined;
  }
}

/** Describes a value, e.g. "an object with items (a list of 3, each an object with id, title), total (a number)". */
function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? 'an empty list' : `a list of ${value.length}, the first ${shapeOf(value[0], depth)}`;
  }
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const names = Object.keys(value);
  const told = names.slice(0, MAX_SHAPE_NAMES).map((name) => {
    const plain = JSON.stringify(name.slice(0, 60));
    return depth > 0 ? `${plain} (${shapeOf(value[name], depth - 1)})` : plain;
  });
  const more = names.length > MAX_SHAPE_NAMES ? ` and ${names.length - MAX_SHAPE_NAMES} more` : '';
  return names.length === 0 ? 'an empty object' : `an object with ${told.join(', ')}${more}`;
}
