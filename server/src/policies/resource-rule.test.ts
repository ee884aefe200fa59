import { describe, expect, test } from 'vitest'
import { allowsResource, parseResourceRule } from './resource-rule.ts'

describe('a resource rule', () => {
  test.each([
    ['https://seller.example', 'https://seller.example/'],
    ['https://SELLER.example:443/v1', 'https://seller.example/v1'],
    ['http://seller.example/a/../b/', 'http://seller.example/b/'],
  ])('%s is kept as %s', (text, kept) => {
    expect(parseResourceRule(text)).toBe(kept)
  })

  test.each([
    'seller.example',
    'ftp://seller.example/',
    'javascript:alert(1)',
    'https://user@seller.example/',
    'https://user:pass@seller.example/',
    'https://seller.example/?a=1',
    'https://seller.example/?',
    'https://seller.example/#a',
    'https://seller.example/a%2fb',
    '',
  ])('%s is none', (text) => {
    expect(parseResourceRule(text)).toBeUndefined()
  })

  test.each([
    ['https://seller.example/', 'https://seller.example/anything/at?all=1'],
    ['https://seller.example/v1', 'https://seller.example/v1'],
    ['https://seller.example/v1', 'https://seller.example/v1?quote=2'],
    ['https://seller.example/v1', 'https://seller.example/v1/quote'],
    ['https://seller.example/v1/', 'https://seller.example/v1'],
    ['https://seller.example/v1/', 'https://seller.example/v1/a/../b'],
  ])('%s allows %s', (rule, resource) => {
    expect(allowsResource(rule, resource)).toBe(true)
  })

  test.each([
    ['https://seller.example/', 'http://seller.example/'],
    ['https://seller.example/', 'https://seller.example:8443/'],
    ['https://seller.example/', 'https://seller.example.evil.example/'],
    ['https://seller.example/', 'https://seller.example@evil.example/'],
    ['https://seller.example/', 'https://evil.example/https://seller.example/'],
    ['https://seller.example/', 'https://evil.example\\@seller.example/'],
    ['https://seller.example/', 'https://me@seller.example/'],
    ['https://seller.example/v1', 'https://seller.example/v10'],
    ['https://seller.example/v1', 'https://seller.example/V1'],
    ['https://seller.example/v1', 'https://seller.example/v1/../admin'],
    ['https://seller.example/v1', 'https://seller.example/v1/%2e%2e/admin'],
    ['https://seller.example/v1', 'https://seller.example/v1/..%2fadmin'],
    ['https://seller.example/v1', 'https://seller.example/v1/%2E%2E%2Fadmin'],
    ['https://seller.example/v1', 'https://seller.example/v1/%252e%252e/admin'],
    ['https://seller.example/v1', 'https://seller.example/v1/..;/admin'],
    ['https://seller.example/v1', 'https://seller.example/v1/..%5cadmin'],
    ['https://seller.example/v1', 'not a url'],
    ['https://seller.example/v1', 'blob:https://seller.example/v1/a'],
    ['https://seller.example/v1', 'file:///v1'],
  ])('%s does not allow %s', (rule, resource) => {
    expect(allowsResource(rule, resource)).toBe(false)
  })
})
