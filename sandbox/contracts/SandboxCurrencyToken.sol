// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SandboxUSDC} from "./SandboxUSDC.sol";

/// @title A stand-in for a token that is its chain's native currency under another name, as USDC is on Arc.
/// @notice Everything that SandboxUSDC does, over the accounts' own balances: 6 decimals of those 18, what is below them cut off.
/// @dev anvil moves them by Celo's transfer precompile, which it has with --celo only. Each move is told as on Arc: by this token in its decimals,
/// and by the system's address in the currency's (EIP-7708), which here has code of ours that logs what it is called with.
contract SandboxCurrencyToken is SandboxUSDC {
    uint256 private constant UNIT = 1e12;
    address private constant MOVER = address(0xfd);
    address private constant SYSTEM = 0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE;

    constructor(address minter_) SandboxUSDC(minter_) {}

    function balanceOf(address account) public view override returns (uint256) {
        return account.balance / UNIT;
    }

    /// @dev What is minted comes out of the minter's own balance: a chain makes no currency for a faucet.
    function _update(address from, address to, uint256 value) internal override {
        address payer = from == address(0) ? minter : from;
        require(balanceOf(payer) >= value, "ERC20: transfer amount exceeds balance");
        require(to != address(this), "Blacklistable: account is blacklisted");
        bytes memory move = abi.encode(payer, to, value * UNIT);
        (bool moved,) = MOVER.call(move);
        require(moved, "native balance was not moved");
        (bool told,) = SYSTEM.call(move);
        require(told, "the system does not tell what moves");
        emit Transfer(from, to, value);
    }
}
