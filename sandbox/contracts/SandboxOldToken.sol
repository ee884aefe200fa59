// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title A token of the kind that was made before EIP-2612 and before everybody returned a word.
/// @notice Knows no permits; answers nothing to transfers and approvals; changes no allowance from one that is not zero to another that is
/// not zero. Anyone may look, only the minter mints.
/// @dev Its runtime code is placed at another address than the one it was created at, so no constructor writes storage.
contract SandboxOldToken {
    string public constant name = "Sandbox Alder";
    string public constant symbol = "ALDER";
    uint8 public constant decimals = 6;

    /// @notice The one address that may mint: the sandbox's faucet.
    address public immutable minter;

    uint256 public totalSupply;
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(address minter_) {
        minter = minter_;
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0, "SandboxOldToken: set it to zero first");
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "SandboxOldToken: not allowed");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _move(from, to, value);
    }

    /// @notice Answers as the sandbox's other tokens do: its faucet asks each of them alike.
    function mint(address to, uint256 value) external returns (bool) {
        require(msg.sender == minter, "SandboxOldToken: caller is not the minter");
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "SandboxOldToken: not enough");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
