import { expect, test } from 'vitest';
import { createBuilderFixture } from '../testing/builder-fixture.ts';
import { type DetectionCase, detectTree, expectPlan } from '../testing/detect-tree.ts';

const RUST = '[package]\nname = "shop"\nversion = "1.0.0"\n';
const POM = '<project/>';
const JAVA = ['/usr/bin/env', 'SERVER_PORT=$PORT', 'QUARKUS_HTTP_PORT=$PORT', 'MICRONAUT_SERVER_PORT=$PORT', 'java'];
const JAR = [...JAVA, '-XX:MaxRAMPercentage=75', '-jar', '.berth/app.jar'];

const TABLE: readonly DetectionCase[] = [
  [
    'Rust',
    { 'Cargo.toml': RUST, 'Cargo.lock': '', 'src/main.rs': '' },
    'Detected Rust: cargo build --release --locked, put the programs into target/release, ./target/release/shop',
    ['./target/release/shop'],
  ],
  [
    'a Rust program of several, by default-run',
    { 'Cargo.toml': `${RUST}default-run = "web"\n`, 'src/bin/web.rs': '', 'src/bin/tool.rs': '' },
    'Detected Rust: cargo build --release, put the programs into target/release, ./target/release/web',
    ['./target/release/web'],
  ],
  [
    'a Rust workspace with a Procfile',
    { 'Cargo.toml': '[workspace]\nmembers = ["a"]\n', Procfile: 'web: ./target/release/a' },
    'Detected Rust: cargo build --release, put the programs into target/release, ./target/release/a',
    ['./target/release/a'],
  ],
  [
    'Maven',
    { 'pom.xml': POM },
    'Detected Java (Maven): mvn package, select the built program, java -jar .berth/app.jar',
    JAR,
  ],
  [
    'Maven with a Procfile',
    { 'pom.xml': POM, Procfile: 'web: java -cp target/classes Main' },
    'Detected Java (Maven): mvn package, java -cp target/classes Main',
    ['java', '-cp', 'target/classes', 'Main'],
  ],
  [
    'Gradle',
    { 'build.gradle.kts': '', gradlew: '' },
    'Detected Java (Gradle): gradle assemble, select the built program, java -jar .berth/app.jar',
    JAR,
  ],
  [
    '.NET',
    { 'Shop.csproj': '<Project><AssemblyName>Web</AssemblyName></Project>' },
    'Detected .NET: dotnet publish Shop.csproj -c Release -o .berth/app, dotnet .berth/app/Web.dll',
    ['/usr/bin/env', 'ASPNETCORE_URLS=http://0.0.0.0:$PORT', 'dotnet', '.berth/app/Web.dll'],
  ],
  [
    'Ruby with puma',
    { Gemfile: 'gem "puma"', 'config.ru': '' },
    'Detected Ruby: bundle install, bundle exec puma -b tcp://0.0.0.0:$PORT',
    ['bundle', 'exec', 'puma', '-b', 'tcp://0.0.0.0:$PORT'],
  ],
  [
    'Rails',
    { Gemfile: 'gem "rails"\ngem "puma"', 'config.ru': '' },
    'Detected Ruby on Rails: bundle install, bundle exec rake assets:precompile, bundle exec puma -b tcp://0.0.0.0:$PORT',
    ['bundle', 'exec', 'puma', '-b', 'tcp://0.0.0.0:$PORT'],
  ],
  [
    'PHP with Composer',
    { 'composer.json': '{}', 'public/index.php': '' },
    'Detected PHP: composer install --no-dev --no-interaction --optimize-autoloader, php -S 0.0.0.0:$PORT -t public',
    ['php', '-S', '0.0.0.0:$PORT', '-t', 'public', 'public/index.php'],
  ],
];

// Fails when a page makes such a project a site: the log would then report a build that didn't happen.
test.each(TABLE)('%s', async (_what, tree, shown, start) => {
  expectPlan(await detectTree({ ...tree, 'public/index.html': '' }), shown, start);
});

test('a project without a start command is refused', async () => {
  const several = { 'Cargo.toml': RUST, 'src/bin/a.rs': '', 'src/bin/b.rs': '' };
  await expect(detectTree(several)).rejects.toThrow('does not define which program is the service (a, b)');
  await expect(detectTree({ 'Cargo.toml': 'no toml' })).rejects.toMatchObject({ code: 'build_failed' });
  await expect(detectTree({ Gemfile: '' })).rejects.toThrow('no config.ru');
});

test.each([
  ['cargo', { 'Cargo.toml': RUST, 'src/main.rs': 'fn main() {}' }, 'Install Rust from https://rustup.rs'],
  ['dotnet', { 'Shop.csproj': '' }, 'Install it from https://dotnet.microsoft.com/download'],
  ['mvn', { 'pom.xml': POM }, 'apt install maven'],
  ['bundle', { Gemfile: '', 'config.ru': '' }, 'apt install bundler'],
])(
  'without %s the build is refused before anything runs, and the error names the package to install',
  async (program, tree, remedy) => {
    await using fixture = await createBuilderFixture();
    if ((await fixture.sandbox.findProgram(program)) !== undefined) return;
    await expect(fixture.build(tree)).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringContaining(remedy),
    });
    expect(fixture.sandbox.commands).toEqual([]);
  },
);

test('PHP is served where it is installed, and refused where it is not', async () => {
  await using fixture = await createBuilderFixture();
  const built = fixture.build({ 'index.php': '<?php echo "php", 1 + 1;' });
  if ((await fixture.sandbox.findProgram('php')) === undefined) {
    return expect(built).rejects.toThrow('PHP is not installed on this server.');
  }
  const { result } = await built;
  expect(await fixture.ask(result.artifact, '/')).toEqual({ status: 200, text: 'php2' });
});

test('a Java build without a program fails', async () => {
  // Fails when the step that copies the program continues after its last candidate.
  const java = '#!/bin/sh\nexit 0\n';
  await using fixture = await createBuilderFixture({ programs: { java, javac: java, mvn: java } });
  await expect(fixture.build({ 'pom.xml': POM })).rejects.toMatchObject({
    code: 'build_failed',
    message: 'select the built program failed with exit code 1',
    details: { logs: ['The build made no program in target/.'] },
  });
});

// Fails when the step copies the first JAR regardless of its manifest.
test('a Java build uses the JAR that names a main class, and fails without one', async () => {
  const java = '#!/bin/sh\nexit 0\n';
  // A JAR in this test consists only of its manifest.
  const jar = '#!/bin/sh\nmkdir -p META-INF\ncp "$2" META-INF/MANIFEST.MF\n';
  const mvn = '#!/bin/sh\nmkdir target\ncp *.jar target/\n';
  await using fixture = await createBuilderFixture({ programs: { java, javac: java, jar, mvn } });
  const library = { 'pom.xml': POM, 'a.jar': 'Manifest-Version: 1.0\n' };
  const { result } = await fixture.build({ ...library, 'b.jar': 'Manifest-Version: 1.0\nMain-Class: shop.Main\n' });
  expect(result.artifact).toMatchObject({ command: expect.arrayContaining(['.berth/app.jar']) });
  await expect(fixture.build(library)).rejects.toMatchObject({
    code: 'build_failed',
    details: {
      logs: [
        expect.stringMatching(
          /^No Main-Class is named in the manifest of target\/a\.jar: set the main class .* Procfile/,
        ),
      ],
    },
  });
});
