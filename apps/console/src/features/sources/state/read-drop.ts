import { BerthError } from '@berth/kit';
import type { Source, SourceFolder, SourceNode } from './source-node.ts';

const ARCHIVE = /\.(tar\.gz|tgz)$/i;
const OTHER_ARCHIVE = /\.(zip|rar|7z|tar|tar\.(xz|bz2|zst))$/i;

/** The parts of `FileSystemEntry` used here. Source: File and Directory Entries API. */
export type DropEntry = Pick<FileSystemEntry, 'isDirectory' | 'name'>;

/**
 * Returns the dropped items as one source: a folder, an archive, or several items as the contents of an unnamed folder.
 * @throws `archive_invalid` if nothing was dropped, and for unsupported kinds of archive
 */
export async function readDrop(entries: readonly DropEntry[]): Promise<Source> {
  const nodes = entries.map(toSourceNode);
  const [first] = nodes;
  if (!first) throw refuse('Nothing was dropped that can be deployed. Drop a folder, or a .tar.gz of one.');
  if (nodes.length === 1) return sourceOf(first);
  return { kind: 'folder', folder: { kind: 'folder', name: '', children: async () => nodes } };
}

/** Returns the source chosen in a file dialog: an archive, or a folder's files with relative paths. */
export async function readPicked(files: readonly File[]): Promise<Source> {
  const [first] = files;
  if (!first) throw refuse('Nothing was chosen. Choose a folder, or a .tar.gz of one.');
  if (first.webkitRelativePath === '') {
    return sourceOf({ kind: 'file', name: first.name, open: async () => first });
  }
  return { kind: 'folder', folder: toFolder(files) };
}

async function sourceOf(node: SourceNode): Promise<Source> {
  if (node.kind === 'folder') return { kind: 'folder', folder: node };
  if (ARCHIVE.test(node.name)) return { kind: 'archive', name: node.name, archive: await node.open() };
  if (OTHER_ARCHIVE.test(node.name)) {
    throw refuse(`${node.name} is not a .tar.gz. Unpack it, and drop the folder that comes out.`);
  }
  return { kind: 'folder', folder: { kind: 'folder', name: '', children: async () => [node] } };
}

function refuse(message: string): BerthError {
  return new BerthError({ code: 'archive_invalid', status: 422, message });
}

/** Returns a lazily read node for a dropped file or folder. */
export function toSourceNode(entry: DropEntry): SourceNode {
  const { name } = entry;
  if (!entry.isDirectory) {
    const open = () => new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
    return { kind: 'file', name, open };
  }
  return { kind: 'folder', name, children: () => readAll(entry as FileSystemDirectoryEntry) };
}

/** Returns all entries of a folder. `readEntries` answers in batches, 100 in Chromium, until an empty one. */
async function readAll(folder: FileSystemDirectoryEntry): Promise<SourceNode[]> {
  const reader = folder.createReader();
  const nodes: SourceNode[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return nodes;
    nodes.push(...some.map(toSourceNode));
  }
}

interface OpenFolder extends SourceFolder {
  readonly nodes: Map<string, OpenFolder | SourceNode>;
}

function newFolder(name: string): OpenFolder {
  const nodes: OpenFolder['nodes'] = new Map();
  return { kind: 'folder', name, nodes, children: async () => [...nodes.values()] };
}

/** Returns the folder of files with relative paths such as `my-app/src/main.ts`. */
function toFolder(files: readonly File[]): SourceFolder {
  const root = newFolder(files[0]?.webkitRelativePath.split('/')[0] ?? '');
  for (const file of files) {
    const parts = file.webkitRelativePath.split('/').slice(1, -1);
    let folder = root;
    for (const part of parts) {
      const known = folder.nodes.get(part);
      const next = known && 'nodes' in known ? known : newFolder(part);
      folder.nodes.set(part, next);
      folder = next;
    }
    folder.nodes.set(file.name, { kind: 'file', name: file.name, open: async () => file });
  }
  return root;
}
