import type { Source, SourceFolder, SourceNode } from './source-node.ts';
import { SourceRefusal } from './source-refusal.ts';

const ARCHIVE = /\.(tar\.gz|tgz)$/i;
/** Files that a deploy recognizes without others. Source: docs/guides/projects.md. */
const ALONE: ReadonlySet<string> = new Set([
  ...['index.html', 'main.py', 'app.py', 'package.json', 'berth.json', 'Procfile', 'Dockerfile'],
]);
const OTHER_ARCHIVE = /\.(zip|rar|7z|tar|tar\.(xz|bz2|zst))$/i;

/** The parts of `FileSystemEntry` used here. Source: File and Directory Entries API. */
export type DropEntry = Pick<FileSystemEntry, 'isDirectory' | 'name'>;

/**
 * Returns the dropped items as one source: a folder, an archive, or several items as the contents of an unnamed folder.
 * @throws {@link SourceRefusal} if nothing was dropped, and for a file that can't be deployed alone
 */
export async function readDrop(entries: readonly DropEntry[]): Promise<Source> {
  const nodes = entries.map(toSourceNode);
  const [first] = nodes;
  if (!first) throw new SourceRefusal('source.none');
  if (nodes.length === 1) return sourceOf(first);
  return { kind: 'folder', folder: { kind: 'folder', name: '', children: async () => nodes } };
}

/**
 * Returns the source chosen in a file dialog: an archive, or a folder's files with relative paths.
 * @throws {@link SourceRefusal} if nothing was chosen, and for a file that can't be deployed alone
 */
export async function readPicked(files: readonly File[]): Promise<Source> {
  const [first] = files;
  if (!first) throw new SourceRefusal('source.none');
  if (first.webkitRelativePath === '') {
    return sourceOf({ kind: 'file', name: first.name, open: async () => first });
  }
  return { kind: 'folder', folder: toFolder(files) };
}

async function sourceOf(node: SourceNode): Promise<Source> {
  if (node.kind === 'folder') return { kind: 'folder', folder: node };
  if (ARCHIVE.test(node.name)) return { kind: 'archive', name: node.name, archive: await node.open() };
  if (OTHER_ARCHIVE.test(node.name)) {
    throw new SourceRefusal('source.otherArchive', { name: node.name });
  }
  if (!ALONE.has(node.name)) throw new SourceRefusal('source.singleFile', { name: node.name });
  return { kind: 'folder', folder: { kind: 'folder', name: '', children: async () => [node] } };
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
