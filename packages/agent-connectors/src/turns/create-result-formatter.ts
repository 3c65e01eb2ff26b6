import { randomBytes } from 'node:crypto';
import type { ToolContext, ToolFiles } from '@berth/agent-core';
import type { Clock } from '@berth/kit';
import type { Connector } from '../connector/connector.ts';
import type { RemoteResult } from '../mcp/call-tool.ts';
import { describeJson } from './describe-json.ts';

/** A formatter of tool results for the model. */
export interface ResultFormatter {
  /**
   * Returns the text for the model. A text that is too long is written to a workspace file, and the model gets its path
   * and shape. Images and documents are written to files too, and images are shown.
   */
  format(
    result: Pick<RemoteResult, 'text' | 'isJson' | 'files'>,
    connector: Pick<Connector, 'name'>,
    tool: string,
    context: Pick<ToolContext, 'files' | 'show'>,
  ): Promise<string>;
}

/** Maximum length of a result, as the agent loop passes it to a model. */
const MAX_TEXT = 40_000;
const BEGINNING = 4_000;
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

/** Creates a formatter of tool results. */
export function createResultFormatter({ clock }: { readonly clock: Clock }): ResultFormatter {
  /** Returns a new path, e.g. `connectors/github/20261121-204512-search-1f3a.json`. */
  const pathOf = (connector: string, tool: string, ending: string) => {
    const [date, time = ''] = new Date(clock.nowMs()).toISOString().split('T');
    const stamp = `${date?.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
    const what = tool.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60);
    return `connectors/${connector}/${stamp}-${what}-${randomBytes(2).toString('hex')}.${ending}`;
  };
  return {
    async format({ text, isJson, files: results }, connector, tool, { files, show }) {
      const told: string[] = [];
      const keep = async (bytes: Uint8Array, ending: string) => {
        const path = pathOf(connector.name, tool, ending);
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
    },
  };
}

/** Removes the oldest files that this formatter wrote. Users may keep files of their own in the folder. */
async function tidy(files: ToolFiles, folder: string): Promise<void> {
  const kept = (await files.list(folder, { recursive: false }))
    .filter(({ type, path }) => type === 'file' && /\/\d{8}-\d{6}-[^/]*-[0-9a-f]{4}\.\w+$/.test(path))
    .map(({ path }) => path)
    .sort();
  for (const path of kept.slice(0, Math.max(0, kept.length - KEPT_FILES))) await files.remove(path);
}
