/** A project as its framework hands it to newcomers: made by its create command, or the files of its "first steps" page. */
export interface Sample {
  /** A deployment name. */
  readonly name: string;
  /** Run in an empty folder; the project is what it makes in `app`, or in the folder itself. */
  readonly create?: readonly string[];
  /** Added to what `create` made. */
  readonly files?: Readonly<Record<string, string>>;
  /** Asked with GET when it is deployed. Default `/`. */
  readonly path?: string;
  /** Where it listens, when it has a port of its own: deployed as with `--port`. */
  readonly port?: number;
  /** In the answer's body. */
  readonly answer: RegExp;
}

/** An npm `create` package with its words. */
export const npmCreate = (name: string, ...words: readonly string[]): readonly string[] => [
  ...['npm', 'create', '--yes', `${name}@latest`, '--', 'app'],
  ...words,
];

/** A program of an npm package. */
export const npx = (...words: readonly string[]): readonly string[] => ['npx', '--yes', ...words];

/** The package.json of projects that their documentation writes by hand. */
export const manifest = (
  scripts: Readonly<Record<string, string>>,
  dependencies: Readonly<Record<string, string>>,
  more: object = {},
): string => JSON.stringify({ name: 'app', private: true, type: 'module', scripts, dependencies, ...more });
