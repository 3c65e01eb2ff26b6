/** Keys of the texts that say why something can't be deployed. */
export type SourceRefusalKey = 'source.none' | 'source.otherArchive' | 'source.singleFile';

/** Why what a person dropped or chose can't be deployed. The page shows the text of `key`. */
export class SourceRefusal extends Error {
  readonly key: SourceRefusalKey;
  readonly values: Readonly<Record<string, string>>;

  constructor(key: SourceRefusalKey, values: Readonly<Record<string, string>> = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}
