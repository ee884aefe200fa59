import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isJsonObject, parseJson } from '../host/json.ts'

const require = createRequire(import.meta.url)

/** Creation code of Uniswap's own contracts, 0x hex, read as data from the packages that publish them. */
export function readUniswapCreation(): Readonly<
  Record<'weth' | 'factory' | 'router', `0x${string}`>
> {
  return {
    weth: creationIn('@uniswap/v2-periphery/build/WETH9.json'),
    factory: creationIn('@uniswap/v2-core/build/UniswapV2Factory.json'),
    router: creationIn('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
  }
}

function creationIn(path: string): `0x${string}` {
  const artifact = parseJson(readFileSync(require.resolve(path), 'utf8'))
  const evm = isJsonObject(artifact) ? artifact['evm'] : undefined
  const bytecode = isJsonObject(evm) ? evm['bytecode'] : undefined
  const object = isJsonObject(bytecode) ? bytecode['object'] : undefined
  if (typeof object !== 'string' || !/^[0-9a-f]+$/.test(object)) {
    throw new Error(`${path} holds no creation code`)
  }
  return `0x${object}`
}
