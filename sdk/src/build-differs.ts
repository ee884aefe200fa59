import { FlorinError } from './florin-error.ts'

/** Why nothing is signed: in what the build differs from the order. */
export function buildDiffers(differs: string, asked: string, built: string): FlorinError {
  return new FlorinError({
    code: 'BUILD_DIFFERS',
    message: `not signed: of what the service built the ${differs} is ${built}, where ${asked} was asked for`,
    details: { differs, asked, built },
  })
}
