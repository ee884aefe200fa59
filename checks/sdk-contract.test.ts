import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sdkContract } from './sdk-contract.ts'
import { root } from './tool.ts'

const HOME = join(root, 'sdk', 'src', 'contract')

test("rule: the client's copy of the contract is what the endpoint table makes (renew it with vitest -u)", async () => {
  const contract = await sdkContract()
  for (const [name, text] of contract) await expect(text).toMatchFileSnapshot(join(HOME, name))
  expect(readdirSync(HOME).toSorted()).toEqual([...contract.keys()].toSorted())
})
