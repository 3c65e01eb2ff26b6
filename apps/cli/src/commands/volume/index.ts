import type { CommandGroup } from '../../command/command.ts';
import { volumeCreate } from './create.ts';
import { volumeDelete } from './delete.ts';
import { volumeExport } from './export.ts';
import { volumeGet } from './get.ts';
import { volumeImport } from './import.ts';
import { volumeLs } from './ls.ts';
import { volumeMv } from './mv.ts';
import { volumePut } from './put.ts';
import { volumeRestore } from './restore.ts';
import { volumeRm } from './rm.ts';

/** `berth volume`. */
export const volume: CommandGroup = {
  name: 'volume',
  summary: 'Volumes, and bytes in and out of them',
  commands: [
    volumeCreate,
    volumeLs,
    volumePut,
    volumeGet,
    volumeMv,
    volumeRm,
    volumeExport,
    volumeImport,
    volumeDelete,
    volumeRestore,
  ],
};
