// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title An account with code that accepts signatures of its owner (EIP-1271), or breaks one promise, for tests.
/// @notice A signature is the owner's 65 bytes, with or without more behind them. As the code of a delegated key (EIP-7702) its owner is
/// the key itself.
contract TestWallet {
    enum Trick {
        None,
        /// Uses up whatever gas it is given.
        BurnsGas,
        Reverts,
        /// Accepts everything while no gas is paid for, and nothing on chain.
        LiesInSimulations,
        /// Answers with as much as its gas buys.
        ReturnsMuch,
        /// Answers with another word.
        SaysAnother,
        /// Answers with the right bytes and no more of the word.
        SaysHalf,
        /// Tries to spend the authorization from within.
        Reenters,
        /// Takes as much gas as an account with many owners may, and no more.
        IsSlow
    }

    bytes4 private constant MAGIC = 0x1626ba7e;
    Trick public immutable trick;
    address public immutable owner;

    constructor(Trick trick_, address owner_) {
        trick = trick_;
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (trick == Trick.BurnsGas) while (true) {}
        if (trick == Trick.Reverts) revert("no");
        if (trick == Trick.LiesInSimulations) {
            require(tx.gasprice == 0, "not this time");
            return MAGIC;
        }
        if (trick == Trick.ReturnsMuch) {
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, mul(gas(), 2))
            }
        }
        if (trick == Trick.SaysAnother) return 0xffffffff;
        if (trick == Trick.SaysHalf) {
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, 4)
            }
        }
        if (trick == Trick.Reenters) {
            (bool done,) = msg.sender.staticcall(abi.encodeWithSignature("transfer(address,uint256)", owner, 1));
            require(done, "refused");
        }
        if (trick == Trick.IsSlow) {
            uint256 start = gasleft();
            while (start - gasleft() < 80_000) {}
        }
        address signer = owner == address(0) ? address(this) : owner;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        return ecrecover(digest, uint8(signature[64]), r, s) == signer ? MAGIC : bytes4(0);
    }
}
