import type { SourceNode } from '../../../sources/state/source-node.ts';
import type { WaitingFile } from './upload-queue.ts';

/** Yields the files of dropped entries, read lazily, with targets under `folder` (`''`, or with a trailing `/`). */
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

/** Yields the files chosen in a file dialog. The files of a chosen folder keep their relative paths. */
export async function* walkPicked(files: readonly File[], volume: string, folder: string): AsyncGenerator<WaitingFile> {
  for (const file of files) {
    yield { volume, object: folder + (file.webkitRelativePath || file.name), open: async () => file };
  }
}

function toFile(blob: Blob, name: string): File {
  return blob instanceof File ? blob : new File([blob], name);
}
