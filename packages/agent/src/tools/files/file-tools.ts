import type { Tool } from '@berth/agent-core';
import { deleteFile } from './delete-file.ts';
import { editFile } from './edit-file.ts';
import { listFolder } from './list-folder.ts';
import { readFile } from './read-file.ts';
import { searchFiles } from './search-files.ts';
import { writeFile } from './write-file.ts';

/**
 * Tools over the person's workspace: `read_file`, `list_files`, `search_files` (read), `write_file`, `edit_file` (write),
 * `delete_file` (destructive; into the trash).
 */
export function fileTools(): readonly Tool[] {
  return [readFile, listFolder, searchFiles, writeFile, editFile, deleteFile];
}
