import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ImageArtifact } from '@berth/runtime';

/** An object that was copied and compared. */
export interface CopiedObject {
  /** Entity tag of the source when it was read. */
  readonly sourceTag: string;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Entity tag of the copy. */
  readonly targetTag: string;
}

/** A packed source in the object store. */
export interface CopiedArchive {
  readonly object: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The objects that a move has copied, in a file of the data folder. Without the file, everything is copied again. */
export interface Journal extends Disposable {
  findObject(place: string, name: string): CopiedObject | undefined;
  noteObject(place: string, name: string, copied: CopiedObject): void;
  findArchive(key: string): CopiedArchive | undefined;
  noteArchive(key: string, archive: CopiedArchive): void;
  /** The artifact of an image that was pushed. */
  findImage(key: string): ImageArtifact | undefined;
  noteImage(key: string, artifact: ImageArtifact): void;
}

/** Name of the journal in the data folder. */
const JOURNAL_NAME = 'move.db';

/**
 * Opens the journal of a data folder.
 * @param target names the place that the platform moves to. The journal of another place is emptied.
 * @param isCreated whether a missing one is created; otherwise it is kept in memory.
 */
export function openJournal(dataFolder: string, target: string, isCreated: boolean): Journal {
  const file = path.join(dataFolder, JOURNAL_NAME);
  const db = new DatabaseSync(isCreated || existsSync(file) ? file : ':memory:');
  db.exec(`pragma journal_mode = wal;
    create table if not exists target (name text not null);
    create table if not exists objects (place text, name text, copied text not null, primary key (place, name)) without rowid;
    create table if not exists archives (key text primary key, archive text not null) without rowid;
    create table if not exists images (key text primary key, artifact text not null) without rowid;`);
  const known = db.prepare('select name from target').get() as { readonly name: string } | undefined;
  if (known?.name !== target) {
    db.exec('begin; delete from objects; delete from archives; delete from images; delete from target;');
    db.prepare('insert into target values (?)').run(target);
    db.exec('commit');
  }
  const findObject = db.prepare('select copied from objects where place = ? and name = ?');
  const noteObject = db.prepare('insert or replace into objects values (?, ?, ?)');
  const findArchive = db.prepare('select archive from archives where key = ?');
  const noteArchive = db.prepare('insert or replace into archives values (?, ?)');
  const findImage = db.prepare('select artifact from images where key = ?');
  const noteImage = db.prepare('insert or replace into images values (?, ?)');
  const parse = <Value>(text: unknown) => (typeof text === 'string' ? (JSON.parse(text) as Value) : undefined);
  return {
    findObject: (place, name) => parse<CopiedObject>(findObject.get(place, name)?.['copied']),
    noteObject: (place, name, copied) => void noteObject.run(place, name, JSON.stringify(copied)),
    findArchive: (key) => parse<CopiedArchive>(findArchive.get(key)?.['archive']),
    noteArchive: (key, archive) => void noteArchive.run(key, JSON.stringify(archive)),
    findImage: (key) => parse<ImageArtifact>(findImage.get(key)?.['artifact']),
    noteImage: (key, artifact) => void noteImage.run(key, JSON.stringify(artifact)),
    [Symbol.dispose]: () => db.close(),
  };
}
