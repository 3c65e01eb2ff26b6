import type { SourceNode } from '../../../sources/state/source-node.ts';
import type { WaitingFile } from './upload-queue.ts';

/** The files of what was dropped, read as they are asked for, under `folder` of a volume (`''`, or with its `/`). */
export async function* walkNodes(
  nodes: readonly SourceNode[],
  volume: string,
  folder: string,
): AsyncGenerator<WaitingFile> {
  for (const node of nodes) {
    if (node.kind === 'folder') yield* walkNodes(await node.children(), volume, `${folder}${node.name}/`);
    else yield { volume, object: folder + node.name, open: async () => toFile(await node.open(), node.name) };
  }
}

/** What was chosen in a file dialog; of a folder the files have paths. */
export async function* walkPicked(files: readonly File[], volume: string, folder: string): AsyncGenerator<WaitingFile> {
  for (const file of files) {
    yield { volume, object: folder + (file.webkitRelativePath || file.name), open: async () => file };
  }
}

function toFile(blob: Blob, name: string): File {
  return blob instanceof File ? blob : new File([blob], name);
}
