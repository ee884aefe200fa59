import { expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { connectionsAtWork, ownConnectionsAtWork } from './connections-at-work.ts'

const SOCKET = 'postgresql://florin:secret@%2Ftmp%2Fflorin-1/florin'
const most = limits.databaseConnectionsMax

test.each([
  ['of another machine', 'postgresql://florin:secret@db.example:5432/florin', 1, most],
  [
    'on the loopback, which may lead anywhere',
    'postgresql://florin@127.0.0.1:5432/florin',
    1,
    most,
  ],
  ['behind a socket of a machine with one core', SOCKET, 1, 5],
  ['behind a socket of a machine with two cores', SOCKET, 2, 5],
  ['behind a socket of a machine with four cores', SOCKET, 4, 9],
  ['behind a socket of a machine with many cores', SOCKET, 64, most],
  ['behind a socket that is a parameter', 'postgres:///florin?host=/run/postgresql', 2, 5],
  ['behind a socket that is a later parameter', 'postgres://a@h/b?x=1&host=%2Frun', 2, 5],
  ['without a password', 'postgres://%2Frun/florin', 2, 5],
  ['whose password begins like a path', 'postgres://florin:%2Fa@db.example/florin', 2, most],
  ['whose name looks like a path', 'postgres://db.example/%2Ftmp', 2, most],
])('a database %s is asked over so many connections at once', (_, url, cores, connections) => {
  expect(connectionsAtWork(url, cores)).toBe(connections)
})

const ownMost = limits.databaseOwnConnectionsMax

test.each([
  ['of another machine', 'postgresql://florin:secret@db.example:5432/florin', 1, ownMost],
  ['behind a socket of a machine with one core', SOCKET, 1, 2],
  ['behind a socket of a machine with four cores', SOCKET, 4, 4],
  ['behind a socket of a machine with many cores', SOCKET, 64, ownMost],
])('by the service itself a database %s is asked over so many', (_, url, cores, connections) => {
  expect(ownConnectionsAtWork(url, cores)).toBe(connections)
})
