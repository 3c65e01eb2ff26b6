import { BerthError } from '@berth/kit';
import { jsx, jsxs } from 'react/jsx-runtime';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { fieldProblems } from '../forms/form-error.ts';
import { TextProvider } from '../text/text-context.tsx';
import { Field } from './field.tsx';
import { Form, FormActions } from './form.tsx';

function refused(issues: readonly { loc: readonly (string | number)[]; msg: string }[]): BerthError {
  return new BerthError({ code: 'invalid', status: 422, message: 'The request is invalid.', details: { issues } });
}

describe('problems by field', () => {
  test('are the first issue of each field, with the place inside of it', () => {
    const error = refused([
      { loc: ['body', 'memory'], msg: 'at least 128Mi' },
      { loc: ['body', 'memory'], msg: 'a second one' },
      { loc: ['body', 'volumes', '/data', 'name'], msg: 'unknown' },
    ]);
    expect(fieldProblems(error)).toEqual({
      memory: 'at least 128Mi',
      volumes: '/data name: unknown',
      'volumes./data.name': 'unknown',
    });
  });

  test('are none for errors without issues, and for what is no error of the API', () => {
    for (const error of [new BerthError({ code: 'conflict', status: 409, message: 'taken' }), new Error('x'), 'x']) {
      expect(fieldProblems(error)).toEqual({});
    }
  });
});

describe('a refused form', () => {
  const render = (error: unknown) =>
    renderToStaticMarkup(
      jsx(TextProvider, {
        language: 'en',
        messages: {},
        children: jsxs(Form, {
          onSubmit() {},
          error,
          children: [
            jsx(Field, { label: 'Name', name: 'name', value: 'a', onChange() {} }),
            jsx(Field, { label: 'Memory', name: 'memory', value: '1', onChange() {} }),
            jsx(Field, { label: 'Unnamed', value: '', onChange() {} }),
            jsx(FormActions, { children: 'Save' }),
          ],
        }),
      }),
    );

  // Fails when Field doesn't read the error of the form around it.
  test('marks the field that the answer names, and shows its sentence above the buttons', () => {
    const html = render(refused([{ loc: ['body', 'memory'], msg: 'at least 128Mi' }]));
    const invalid = [...html.matchAll(/<input[^>]*>/g)].filter(([input]) => input.includes('aria-invalid="true"'));
    expect(invalid.map(([input]) => /name="(\w+)"/.exec(input)?.[1])).toEqual(['memory']);
    const order = ['Memory', 'at least 128Mi', 'Unnamed', 'The request is invalid.', 'Save'].map((text) =>
      html.indexOf(text),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  test('says nothing where nothing was refused', () => {
    for (const error of [undefined, null]) {
      expect(render(error)).not.toContain('role="alert"');
      expect(render(error)).not.toContain('aria-invalid="true"');
    }
  });
});
