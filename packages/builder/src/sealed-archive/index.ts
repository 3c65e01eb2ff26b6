export { checkArchive, type OnEntry, readArchive } from './read-sealed-archive.ts';
export { type AddEntry, type EntryHeader, writeSealedArchive } from './write-sealed-archive.ts';
