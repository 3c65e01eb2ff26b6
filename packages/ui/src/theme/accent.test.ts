import { contrastOf, parseColor, type Rgb } from '@berth/kit';
import { describe, expect, it } from 'vitest';
import { accentTokens, applyAccent } from './accent.ts';

const SURFACES = {
  light: ['#f5f6f8', '#fcfcfd', '#ffffff', '#eef0f3'],
  dark: ['#0b0d10', '#101216', '#171a1f', '#21252c'],
};
const rgb = (text = '') => parseColor(text) as Rgb;

describe('accentTokens', () => {
  it.each(['#2563eb', '#ffffff', '#000000', '#ffe600', '#ff0', '#0a2', '#7f7f7f', '#ff8fb1', '#001133'])(
    'makes %s readable in both themes',
    (color) => {
      const tokens = accentTokens(color) ?? {};
      const [light, dark] = [...(tokens['--accent'] ?? '').matchAll(/#\w{6}/g)].map(([hex]) => hex);
      const [softLight, softDark] = [...(tokens['--accent-soft'] ?? '').matchAll(/#\w{6}/g)].map(([hex]) => hex);
      const worst = Math.min(
        ...[...SURFACES.light, softLight].map((ground) => contrastOf(rgb(light), rgb(ground))),
        ...[...SURFACES.dark, softDark].map((ground) => contrastOf(rgb(dark), rgb(ground))),
        ...(['--accent-ground', '--accent-hover', '--accent-active'] as const).map((name) =>
          contrastOf(rgb('#ffffff'), rgb(tokens[name])),
        ),
        ...[contrastOf(rgb('#14171c'), rgb(softLight)), contrastOf(rgb('#ebedf0'), rgb(softDark))],
      );
      expect(worst).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('leaves a color that is readable as it is', () => {
    expect(accentTokens('#1d56c9')?.['--accent-ground']).toBe('#1d56c9');
  });

  it('refuses what is no color', () => {
    expect(accentTokens('red; background: url(//x)')).toBeUndefined();
  });
});

describe('applyAccent', () => {
  it('sets the tokens of a color, and keeps the page’s own for anything else', () => {
    const set = new Map<string, string | null>();
    const style = { setProperty: (name: string, value: string | null) => void set.set(name, value) };
    applyAccent('teal', style);
    expect(set.size).toBe(0);
    applyAccent('#0f766e', style);
    expect(set.get('--accent-ground')).toBe('#0f766e');
  });
});
