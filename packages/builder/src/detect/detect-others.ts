import { createError } from '@berth/contract';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { createCommand, createShellCommand } from '../plan/command.ts';
import { createDraft, type PlanDraft } from '../plan/plan.ts';
import { findFile, type ProjectFiles } from '../plan/project-files.ts';

const ADDRESS = '0.0.0.0:$PORT';

/**
 * Detects a Rust, Java, .NET, Ruby or PHP project, whose compilers and interpreters few servers have. If the programs
 * are missing, the build is refused before anything runs. Returns undefined for other projects.
 * @param hasOwnStart True if the project defines its own start command.
 * @throws BerthError `build_failed` if a configuration file is invalid.
 */
export async function detectOthers(files: ProjectFiles, hasOwnStart: boolean): Promise<PlanDraft | undefined> {
  for (const detect of [detectRust, detectJava, detectDotnet, detectRuby, detectPhp]) {
    const found = await detect(files, hasOwnStart);
    if (found !== undefined) return found;
  }
  return undefined;
}

const cargoSchema = z.looseObject({
  package: z.looseObject({ name: z.string(), 'default-run': z.string().optional() }).optional(),
  bin: z.array(z.looseObject({ name: z.string() })).default([]),
});

/**
 * Detects a Rust project. A `target` folder in the project would grow with every build, so the compiler works in the
 * home of builds, and the programs are then copied to cargo's usual folder.
 */
async function detectRust(files: ProjectFiles): Promise<PlanDraft | undefined> {
  const source = await files.readText('Cargo.toml');
  if (source === undefined) return undefined;
  const { package: crate, bin } = readCargo(source);
  const hasMain = (await files.kindOf('src/main.rs')) === 'file';
  const more = (await files.list('src/bin')).map((name) => name.replace(/\.rs$|\/$/, ''));
  const names = new Set([
    ...bin.map(({ name }) => name),
    ...(hasMain && bin.length === 0 ? [crate?.name ?? ''] : []),
    ...more,
  ]);
  const [first] = names;
  const program = crate?.['default-run'] ?? (names.size === 1 ? first : undefined);
  const isLocked = (await files.kindOf('Cargo.lock')) === 'file';
  const build = ['cargo', 'build', '--release', ...(isLocked ? ['--locked'] : [])];
  const pinned = (await files.readText('rust-toolchain.toml')) ?? (await files.readText('rust-toolchain'));
  return createDraft('rust', 'Rust', {
    programs: ['cargo'],
    build: [
      { title: build.join(' '), argv: [...build, '--target-dir', '$HOME/.cache/cargo-target'] },
      {
        ...createShellCommand(
          'mkdir -p target/release && find "$HOME/.cache/cargo-target/release" -maxdepth 1 -type f -perm -u+x -exec cp {} target/release/ \\;',
        ),
        title: 'put the programs into target/release',
      },
    ],
    start: program === undefined ? null : createCommand(`./target/release/${program}`),
    sharedFolders: ['target'],
    binFolders: ['target/release'],
    notices: pinned === undefined ? [] : ["rust-toolchain is ignored: the server's Rust is used."],
    whyNoStart: `Cargo.toml does not define which program is the service${names.size > 1 ? ` (${[...names].join(', ')})` : ''}; add a Procfile such as "web: ./target/release/NAME".`,
  });
}

function readCargo(source: string): z.infer<typeof cargoSchema> {
  try {
    return cargoSchema.parse(parseToml(source));
  } catch (error) {
    throw createError('build_failed', `Cargo.toml is invalid: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Returns a script that copies the built program from the output folder of any framework: the first JAR that names a
 * main class, except sources, tests and unshaded copies. Without the JDK's `jar`, the first JAR is used.
 */
const TAKE_JAR = (folder: string) => `set -e
mkdir -p .berth/manifest
without=
for jar in ${folder}/quarkus-app/quarkus-run.jar ${folder}/*.jar ${folder}/libs/*.jar; do
  [ -f "$jar" ] || continue
  case $jar in *-sources.jar|*-javadoc.jar|*-plain.jar|*/original-*|*-tests.jar) continue;; esac
  rm -rf .berth/manifest/*
  if command -v jar >/dev/null && ! (cd .berth/manifest && jar xf "../../$jar" META-INF/MANIFEST.MF && grep -q '^Main-Class:' META-INF/MANIFEST.MF 2>/dev/null); then
    without="$without $jar"
    continue
  fi
  case $jar in
    */quarkus-run.jar) cp -r "$(dirname "$jar")" .berth/app && ln -sfn app/quarkus-run.jar .berth/app.jar;;
    *) cp "$jar" .berth/app.jar;;
  esac
  exit 0
done
[ -z "$without" ] || { echo "No Main-Class is named in the manifest of$without: ${MAIN_CLASS_REMEDY}" >&2; exit 1; }
echo 'The build made no program in ${folder}/.' >&2
exit 1`;

const MAIN_CLASS_REMEDY =
  "set the main class in the JAR plugin, or add a Procfile such as 'web: java -cp target/classes com.example.Main'.";

async function detectJava(files: ProjectFiles, hasOwnStart: boolean): Promise<PlanDraft | undefined> {
  const pom = await files.readText('pom.xml');
  const gradle = (await files.readText('build.gradle')) ?? (await files.readText('build.gradle.kts'));
  const settings = pom ?? gradle;
  if (settings === undefined) return undefined;
  const isMaven = pom !== undefined;
  const wrapper = isMaven ? 'mvnw' : 'gradlew';
  const hasWrapper = (await files.kindOf(wrapper)) === 'file';
  const tool = isMaven ? 'mvn' : 'gradle';
  const args = isMaven
    ? ['-B', '-q', '-DskipTests', '-Dmaven.repo.local=$HOME/.m2/repository', '-Duser.home=$HOME', 'package']
    : ['--no-daemon', '--console=plain', '-g', '$HOME/.gradle', 'assemble'];
  // Ports of Spring Boot, Quarkus and Micronaut, which ignore PORT.
  const ports = ['SERVER_PORT=$PORT', 'QUARKUS_HTTP_PORT=$PORT', 'MICRONAUT_SERVER_PORT=$PORT'];
  const takeJar = {
    ...createShellCommand(TAKE_JAR(isMaven ? 'target' : 'build')),
    title: 'select the built program',
  };
  return createDraft('java', `Java (${isMaven ? 'Maven' : 'Gradle'})`, {
    programs: ['java', 'javac', ...(hasWrapper ? [] : [tool])],
    build: [
      {
        title: isMaven ? `${tool} package` : `${tool} assemble`,
        // An uploaded wrapper may have lost its executable bit.
        argv: [...(hasWrapper ? ['sh', `./${wrapper}`] : [tool]), ...args],
      },
      ...(hasOwnStart ? [] : [takeJar]),
    ],
    start: {
      title: 'java -jar .berth/app.jar',
      argv: ['/usr/bin/env', ...ports, 'java', '-XX:MaxRAMPercentage=75', '-jar', '.berth/app.jar'],
    },
    sharedFolders: ['.berth', 'target', 'build'],
  });
}

async function detectDotnet(files: ProjectFiles): Promise<PlanDraft | undefined> {
  const project = (await files.list('.')).find((name) => /\.(cs|fs|vb)proj$/.test(name));
  if (project === undefined) return undefined;
  const text = (await files.readText(project)) ?? '';
  const name = /<AssemblyName>([\w.-]+)<\/AssemblyName>/.exec(text)?.[1] ?? project.replace(/\.\w+$/, '');
  return createDraft('dotnet', '.NET', {
    programs: ['dotnet'],
    build: [createCommand('dotnet', 'publish', project, '-c', 'Release', '-o', '.berth/app')],
    start: {
      title: `dotnet .berth/app/${name}.dll`,
      argv: ['/usr/bin/env', `ASPNETCORE_URLS=http://${ADDRESS}`, 'dotnet', `.berth/app/${name}.dll`],
    },
    buildEnv: { DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' },
    sharedFolders: ['.berth'],
  });
}

async function detectRuby(files: ProjectFiles): Promise<PlanDraft | undefined> {
  const gemfile = await files.readText('Gemfile');
  if (gemfile === undefined) return undefined;
  const lock = await files.readText('Gemfile.lock');
  const has = (gem: string) =>
    new RegExp(`^\\s*gem\\s+["']${gem}["']`, 'm').test(gemfile) || lock?.includes(`    ${gem} (`);
  const hasRack = (await files.kindOf('config.ru')) === 'file';
  let start: readonly string[] | undefined;
  if (hasRack && has('puma')) start = ['bundle', 'exec', 'puma', '-b', `tcp://${ADDRESS}`];
  else if (hasRack) start = ['bundle', 'exec', 'rackup', '-o', '0.0.0.0', '-p', '$PORT'];
  else if (has('sinatra')) {
    const program = await findFile(files, ['app.rb', 'main.rb', 'server.rb']);
    if (program !== undefined) start = ['bundle', 'exec', 'ruby', program, '-o', '0.0.0.0', '-p', '$PORT'];
  }
  const env = {
    BUNDLE_PATH: 'vendor/bundle',
    BUNDLE_WITHOUT: 'development:test',
    ...(lock === undefined ? {} : { BUNDLE_FROZEN: 'true' }),
  };
  const isRails = has('rails');
  return createDraft('ruby', isRails ? 'Ruby on Rails' : 'Ruby', {
    programs: ['ruby', 'bundle'],
    install: [createCommand('bundle', 'install')],
    build: isRails ? [createCommand('bundle', 'exec', 'rake', 'assets:precompile')] : [],
    start: start === undefined ? null : { title: start.join(' '), argv: start },
    env: {
      RACK_ENV: 'production',
      APP_ENV: 'production',
      ...(isRails ? { RAILS_ENV: 'production', RAILS_LOG_TO_STDOUT: '1' } : {}),
      ...env,
    },
    buildEnv: { ...env, ...(isRails ? { RAILS_ENV: 'production', SECRET_KEY_BASE_DUMMY: '1' } : {}) },
    sharedFolders: ['vendor/bundle'],
    notices:
      (await files.kindOf('.ruby-version')) === 'file' ? [".ruby-version is ignored: the server's Ruby is used."] : [],
    whyNoStart: 'The Ruby project has no config.ru and no Sinatra app.rb; add a Procfile with a web line.',
  });
}

async function detectPhp(files: ProjectFiles): Promise<PlanDraft | undefined> {
  const manifest = await files.readText('composer.json');
  const page = await findFile(files, ['public/index.php', 'web/index.php', 'index.php']);
  const root = page?.replace(/\/?index\.php$/, '') || (page && '.');
  if (manifest === undefined && root === undefined) return undefined;
  return createDraft('php', 'PHP', {
    programs: ['php', ...(manifest === undefined ? [] : ['composer'])],
    install:
      manifest === undefined
        ? []
        : [createCommand('composer', 'install', '--no-dev', '--no-interaction', '--optimize-autoloader')],
    start:
      root === undefined
        ? null
        : {
            title: `php -S ${ADDRESS} -t ${root}`,
            argv: ['php', '-S', ADDRESS, '-t', root, ...(root === '.' ? [] : [`${root}/index.php`])],
          },
    // By default PHP's server handles one request at a time.
    env: { PHP_CLI_SERVER_WORKERS: '8' },
    sharedFolders: ['vendor'],
    startNotices: ["Using PHP's development server. To use another one, add a Procfile."],
    whyNoStart: 'The PHP project has no index.php in its root, public/ or web/; add a Procfile with a web line.',
  });
}
