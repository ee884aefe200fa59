// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SandboxPermit2} from "./SandboxPermit2.sol";

/// @title What brings a deposit of x402's `batch-settlement` by Permit2, written anew for sandbox chains.
/// @notice The payer's permit names this contract as the spender, and the channel in its witness: it is good for no other.
contract SandboxPermit2Collector {
    SandboxPermit2 public constant PERMIT2 = SandboxPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);
    /// @notice The only caller that is served: whoever calls is paid.
    address public constant x402BatchSettlement = 0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003;
    bytes32 private constant WITNESS_TYPEHASH = keccak256("DepositWitness(bytes32 channelId)");
    string private constant WITNESS_TYPE_STRING =
        "DepositWitness witness)DepositWitness(bytes32 channelId)TokenPermissions(address token,uint256 amount)";

    error OnlyX402BatchSettlement();
    error Permit2612AmountMismatch();

    /// @param data (uint256 nonce, uint256 deadline, bytes signature, bytes permit), the last empty or an EIP-2612 permit for Permit2.
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external {
        if (msg.sender != x402BatchSettlement) revert OnlyX402BatchSettlement();
        (uint256 nonce, uint256 deadline, bytes memory signature, bytes memory permit) =
            abi.decode(data, (uint256, uint256, bytes, bytes));
        if (permit.length > 0) _permit(payer, token, amount, permit);
        PERMIT2.permitWitnessTransferFrom(
            SandboxPermit2.PermitTransferFrom({
                permitted: SandboxPermit2.TokenPermissions({token: token, amount: amount}),
                nonce: nonce,
                deadline: deadline
            }),
            SandboxPermit2.SignatureTransferDetails({to: msg.sender, requestedAmount: amount}),
            payer,
            keccak256(abi.encode(WITNESS_TYPEHASH, channelId)),
            WITNESS_TYPE_STRING,
            signature
        );
    }

    /// @dev A permit is for the deposit and no more. Somebody may have submitted it before: whether it is enough shows in the transfer.
    function _permit(address payer, address token, uint256 amount, bytes memory permit) private {
        (uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) =
            abi.decode(permit, (uint256, uint256, uint8, bytes32, bytes32));
        if (value != amount) revert Permit2612AmountMismatch();
        try IERC20Permit(token).permit(payer, address(PERMIT2), value, deadline, v, r, s) {} catch {}
    }
}
