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
  program('node', 'Node.js', 'Install Node.js 24 or newer from https://nodejs.org.'),
  program('npm', 'npm', 'Install Node.js 24 or newer from https://nodejs.org; npm comes with it.'),
  program('pnpm', 'pnpm', 'Run "npm install --global pnpm"; without it, npx fetches pnpm for each build.'),
  program('yarn', 'Yarn', 'Run "npm install --global yarn"; without it, npx fetches Yarn for each build.'),
  program(
    'python3',
    'Python 3',
    'Install Python 3 with venv: "apt install python3 python3-venv" on Debian and Ubuntu.',
  ),
  program(
    'uv',
    'uv',
    'Install uv from https://docs.astral.sh/uv/; without it, Berth uses venv and pip, which are slower.',
  ),
  program('go', 'Go', 'Install Go from https://go.dev/dl/.'),
  program('cargo', 'Rust', 'Install Rust from https://rustup.rs, or "apt install cargo" on Debian and Ubuntu.'),
  program('java', 'Java', 'Install a JDK: "apt install default-jdk-headless" on Debian and Ubuntu.'),
  program('javac', 'The Java compiler', 'Install a JDK: "apt install default-jdk-headless" on Debian and Ubuntu.'),
  program(
    'mvn',
    'Maven',
    'Install it ("apt install maven" on Debian and Ubuntu), or add the Maven wrapper to the project.',
  ),
  program('gradle', 'Gradle', 'Add the Gradle wrapper (gradlew) to the project, which fetches Gradle.'),
  program('dotnet', 'The .NET SDK', 'Install it from https://dotnet.microsoft.com/download.'),
  program('ruby', 'Ruby', 'Install it: "apt install ruby ruby-dev build-essential" on Debian and Ubuntu.'),
  program('bundle', 'Bundler', 'Install it: "apt install bundler" on Debian and Ubuntu.'),
  program('php', 'PHP', 'Install it: "apt install php-cli" on Debian and Ubuntu.'),
  program('composer', 'Composer', 'Install it: "apt install composer" on Debian and Ubuntu.'),
  program('deno', 'Deno', 'Install Deno from https://deno.com; "npm install --global deno" does too.'),
  program('bun', 'Bun', 'Install Bun from https://bun.sh; "npm install --global bun" does too.'),
];

function program(name: string, title: string, remedy: string): ProgramInfo {
  return { name, title, remedy };
}

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
