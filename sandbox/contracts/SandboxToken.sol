// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token of the sandbox's market.
/// @notice Plain EIP-20. Anyone may look and trade, only the minter mints.
/// @dev Its runtime code is placed at another address than the one it was created at, so nothing may live in storage that a
/// constructor wrote: name and symbol are words, filled up with zeros.
contract SandboxToken is ERC20 {
    bytes32 private immutable _nameWord;
    bytes32 private immutable _symbolWord;
    uint8 private immutable _digits;

    /// @notice The one address that may mint: the sandbox's faucet.
    address public immutable minter;

    constructor(bytes32 name_, bytes32 symbol_, uint8 decimals_, address minter_) ERC20("", "") {
        _nameWord = name_;
        _symbolWord = symbol_;
        _digits = decimals_;
        minter = minter_;
    }

    function name() public view override returns (string memory) {
        return _text(_nameWord);
    }

    function symbol() public view override returns (string memory) {
        return _text(_symbolWord);
    }

    function decimals() public view override returns (uint8) {
        return _digits;
    }

    function mint(address to, uint256 amount) external returns (bool) {
        require(msg.sender == minter, "SandboxToken: caller is not the minter");
        _mint(to, amount);
        return true;
    }

    function _text(bytes32 word) private pure returns (string memory) {
        uint256 length = 0;
        while (length < 32 && word[length] != 0) ++length;
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; ++i) text[i] = word[i];
        return string(text);
    }
}
