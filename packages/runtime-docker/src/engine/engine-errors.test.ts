import { createError } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { engineMessage, engineStatus, ignoreStatus, isEngineAway, translateEngineError } from './engine-errors.ts';

/** An error as the client throws it for a response of the engine. */
const response = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${message}`), { statusCode, json: { message } });

// Fails when the client's text isn't left out, and when a connection error has a status.
test('a response has a status and the own words of the engine; another error has no status', () => {
  expect([engineStatus(response(409, 'x')), engineMessage(response(409, ' in use '))]).toEqual([409, 'in use']);
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  expect([engineStatus(reset), engineMessage(reset)]).toEqual([undefined, 'read ECONNRESET']);
  expect([engineStatus(undefined), engineMessage('text')]).toEqual([undefined, 'text']);
});

// Fails when other statuses, or errors without one, are ignored.
test('only the named statuses are ignored', () => {
  const ignore = ignoreStatus(404, 409);
  expect(ignore(response(404, 'gone'))).toBeUndefined();
  for (const error of [response(500, 'broken'), new Error('other')]) expect(() => ignore(error)).toThrow(error);
});

describe('an error of a call', () => {
  const socket = 'unix:///run/docker.sock';

  // Fails when one of the codes, names or messages is left out.
  test.each<readonly [string, object]>([
    ...['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].map((code) => [code, { code }] as const),
    ['a timeout', { name: 'TimeoutError' }],
    ['a hang-up', { message: 'socket hang up' }],
  ])('%s: the engine is away', (_name, fields) => {
    const error = Object.assign(new Error('x'), fields);
    expect(isEngineAway(error)).toBe(true);
    expect(translateEngineError(error, socket)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`No Docker engine responds at ${socket}`),
      cause: error,
    });
  });

  // Fails when a missing right is told as an engine that is away.
  test.each(['EACCES', 'EPERM'])('%s: this server may not use it', (code) => {
    const error = Object.assign(new Error('x'), { code });
    expect(translateEngineError(error, socket)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('has no permission to use the Docker engine'),
    });
  });

  // Fails when an error that the caller handles is replaced.
  test('of another kind stays what it is', () => {
    for (const error of [response(404, 'x'), createError('cancelled', 'x.'), new TypeError('x'), undefined]) {
      expect(translateEngineError(error, socket)).toBe(error);
    }
  });
});
