import { expect, test } from 'vitest'
import { tokens } from './tokens.ts'

const texts = (code: string) => tokens(code).map(({ kind, text }) => `${kind} ${text}`)

test('comments are not code, and strings, templates and regular expressions are told apart', () => {
  expect(texts(`a // b 'c'\n/* d */ 'e\\'f'`)).toEqual(['word a', "string e'f"])
  expect(texts('`x${ {a: `y`} }z` / 2')).toEqual([
    'template x',
    'sign {',
    'word a',
    'sign :',
    'template y',
    'sign }',
    'template z',
    'sign /',
    'sign 2',
  ])
  expect(texts(`f(/'\\/"/g) / 'b'`)).toEqual([
    'word f',
    'sign (',
    `sign /'\\/"/g`,
    'sign )',
    'sign /',
    'string b',
  ])
})

test('a token knows its line', () => {
  expect(tokens('#!/usr/bin/env node\na\n\n`b\n${c}`').map(({ line }) => line)).toEqual([
    2, 4, 5, 5,
  ])
})
