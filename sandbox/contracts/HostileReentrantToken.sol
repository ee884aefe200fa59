// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that calls from within its transfers, for tests.
/// @notice Anyone may mint, and have it call whom they like with what they like whenever it moves; what that call answered is kept.
contract HostileReentrantToken is ERC20 {
    address public target;
    bytes public call;
    /// @notice What the last call from within answered, and whether it was a success.
    bool public done;
    bytes public answer;

    constructor() ERC20("Hostile", "HOSTILE") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function arm(address target_, bytes calldata call_) external {
        target = target_;
        call = call_;
    }

    /// @notice Brings a deposit of itself, as a collector; approvals are asked of nobody.
    function collect(address payer, address, uint256 amount, bytes32, bytes calldata) external {
        _transfer(payer, msg.sender, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (target == address(0)) return;
        (done, answer) = target.call(call);
    }
}
