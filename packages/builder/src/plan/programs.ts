/** A program that plans need. */
export interface ProgramInfo {
  /** Name of the executable. */
  readonly name: string;
  /** Name for display. */
  readonly title: string;
  /** How to install the program, as a sentence. */
  readonly remedy: string;
}

/** All programs that plans may name, in the order of `berth doctor`. */
export const PROGRAMS: readonly ProgramInfo[] = [
  { name: 'node', title: 'Node.js', remedy: 'Install Node.js 24 or newer from https://nodejs.org.' },
  { name: 'npm', title: 'npm', remedy: 'Install Node.js 24 or newer from https://nodejs.org; npm comes with it.' },
  {
    name: 'pnpm',
    title: 'pnpm',
    remedy: 'Run "npm install --global pnpm"; without it, npx fetches pnpm for each build.',
  },
  {
    name: 'yarn',
    title: 'Yarn',
    remedy: 'Run "npm install --global yarn"; without it, npx fetches Yarn for each build.',
  },
  {
    name: 'python3',
    title: 'Python 3',
    remedy: 'Install Python 3 with venv: "apt install python3 python3-venv" on Debian and Ubuntu.',
  },
  {
    name: 'uv',
    title: 'uv',
    remedy: 'Install uv from https://docs.astral.sh/uv/; without it, Berth uses venv and pip, which are slower.',
  },
  { name: 'go', title: 'Go', remedy: 'Install Go from https://go.dev/dl/.' },
  {
    name: 'cargo',
    title: 'Rust',
    remedy: 'Install Rust from https://rustup.rs, or "apt install cargo" on Debian and Ubuntu.',
  },
  { name: 'java', title: 'Java', remedy: 'Install a JDK: "apt install default-jdk-headless" on Debian and Ubuntu.' },
  {
    name: 'javac',
    title: 'The Java compiler',
    remedy: 'Install a JDK: "apt install default-jdk-headless" on Debian and Ubuntu.',
  },
  {
    name: 'mvn',
    title: 'Maven',
    remedy: 'Install it ("apt install maven" on Debian and Ubuntu), or add the Maven wrapper to the project.',
  },
  { name: 'gradle', title: 'Gradle', remedy: 'Add the Gradle wrapper (gradlew) to the project, which fetches Gradle.' },
  { name: 'dotnet', title: 'The .NET SDK', remedy: 'Install it from https://dotnet.microsoft.com/download.' },
  {
    name: 'ruby',
    title: 'Ruby',
    remedy: 'Install it: "apt install ruby ruby-dev build-essential" on Debian and Ubuntu.',
  },
  { name: 'bundle', title: 'Bundler', remedy: 'Install it: "apt install bundler" on Debian and Ubuntu.' },
  { name: 'php', title: 'PHP', remedy: 'Install it: "apt install php-cli" on Debian and Ubuntu.' },
  { name: 'composer', title: 'Composer', remedy: 'Install it: "apt install composer" on Debian and Ubuntu.' },
  { name: 'deno', title: 'Deno', remedy: 'Install Deno from https://deno.com; "npm install --global deno" does too.' },
  { name: 'bun', title: 'Bun', remedy: 'Install Bun from https://bun.sh; "npm install --global bun" does too.' },
];

/** Reports whether the sandbox finds a program. */
export type HasProgram = (name: string) => Promise<boolean>;

/** The programs available to builds. */
export interface Programs {
  readonly has: HasProgram;
  /** Returns a version such as `3.11.2`; undefined if the program is missing or its version is unknown. */
  versionOf(name: string): Promise<string | undefined>;
  /** The platform as in the names of npm packages: `linux-x64`. */
  readonly platform: string;
}
