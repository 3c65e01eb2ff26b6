import { createNodeLogFiles, type LogFiles } from '../lines/log-files.ts';

/** The machine's files with a switch that breaks the disk. */
export interface FailingFiles extends LogFiles {
  /** Every change fails with this code, writes after half of their bytes; undefined mends the disk. */
  writeFailure: 'ENOSPC' | 'EIO' | undefined;
  /** Forcing to the disk fails with this code. */
  syncFailure: 'EIO' | undefined;
  /** Opening for reading fails with this code. */
  readFailure: 'EIO' | 'EACCES' | undefined;
  /** Resolves writes only when it does; for a disk that is slow. */
  writeGate: Promise<void>;
}

export function createFailingFiles(): FailingFiles {
  const files = createNodeLogFiles();
  const fail = (code: string | undefined) => {
    if (code !== undefined) throw Object.assign(new Error(`${code}: broken on purpose`), { code });
  };
  const broken: FailingFiles = {
    ...files,
    writeFailure: undefined,
    syncFailure: undefined,
    readFailure: undefined,
    writeGate: Promise.resolve(),
    async openForReading(path) {
      fail(broken.readFailure);
      return files.openForReading(path);
    },
    async create(path) {
      fail(broken.writeFailure);
      await files.create(path);
    },
    async write(path, position, bytes) {
      await broken.writeGate;
      if (broken.writeFailure !== undefined) await files.write(path, position, bytes.subarray(0, bytes.length / 2));
      fail(broken.writeFailure);
      await files.write(path, position, bytes);
    },
    async sync(path) {
      fail(broken.syncFailure);
      await files.sync(path);
    },
  };
  return broken;
}
