// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @notice What brings the tokens of a deposit: to its caller, exactly so many.
interface ISandboxCollector {
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external;
}

/// @title The escrow of x402's `batch-settlement`, written anew for sandbox chains.
/// @notice A payer deposits into a channel and signs rising totals; the receiver's side claims them in batches, what is claimed is swept to the receiver
/// at once, and what is not goes back. What it holds of a token is the sum of its channels' `balance` less what its receivers' `totalSettled` say.
/// @dev Its runtime code is placed at another address than the one it was created at: EIP712 then builds its domain at each call, and has its texts
/// in the code. Every function that changes anything is guarded, and writes before it calls a token.
contract SandboxBatchSettlement is EIP712, Multicall, ReentrancyGuardTransient {
    struct ChannelConfig {
        address payer;
        address payerAuthorizer;
        address receiver;
        address receiverAuthorizer;
        address token;
        uint40 withdrawDelay;
        bytes32 salt;
    }

    struct Voucher {
        ChannelConfig channel;
        uint128 maxClaimableAmount;
    }

    struct VoucherClaim {
        Voucher voucher;
        bytes signature;
        uint128 totalClaimed;
    }

    struct Channel {
        /// All that was deposited less what went back; a claim does not lower it.
        uint128 balance;
        uint128 totalClaimed;
    }

    struct Withdrawal {
        uint128 amount;
        uint40 initiatedAt;
    }

    struct Receiver {
        uint128 totalClaimed;
        uint128 totalSettled;
    }

    uint40 public constant MIN_WITHDRAW_DELAY = 15 minutes;
    uint40 public constant MAX_WITHDRAW_DELAY = 30 days;

    bytes32 public constant CHANNEL_CONFIG_TYPEHASH =
        keccak256(
            "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)"
        );
    bytes32 public constant VOUCHER_TYPEHASH = keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
    bytes32 public constant REFUND_TYPEHASH = keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
    bytes32 public constant CLAIM_ENTRY_TYPEHASH =
        keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
    bytes32 public constant CLAIM_BATCH_TYPEHASH =
        keccak256(
            "ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
        );

    mapping(bytes32 channelId => Channel) public channels;
    mapping(bytes32 channelId => Withdrawal) public pendingWithdrawals;
    mapping(bytes32 channelId => uint256) public refundNonce;
    mapping(address receiver => mapping(address token => Receiver)) public receivers;

    event ChannelCreated(bytes32 indexed channelId, ChannelConfig config);
    event ChannelClosed(bytes32 indexed channelId, ChannelConfig config);
    event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
    event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
    event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    error ClaimExceedsBalance();
    error ClaimExceedsCeiling();
    error DepositCollectionFailed();
    error DepositOverflow();
    error EmptyBatch();
    error InvalidChannel();
    error InvalidCollector();
    error InvalidRefundNonce();
    error InvalidSignature();
    error NotAuthorizedToClaim();
    error NotAuthorizedToFinalizeWithdraw();
    error NotAuthorizedToRefund();
    error NotReceiverAuthorizer();
    error NothingToWithdraw();
    error WithdrawAmountExceedsAvailable();
    error WithdrawDelayNotElapsed();
    error WithdrawDelayOutOfRange();
    error WithdrawalAlreadyPending();
    error WithdrawalNotPending();
    error ZeroDeposit();
    error ZeroRefund();

    constructor() EIP712("x402 Batch Settlement", "1") {}

    /// @notice Takes a deposit by a collector, which the payer authorized for this channel. Anyone may hand it in.
    function deposit(ChannelConfig calldata config, uint128 amount, address collector, bytes calldata collectorData)
        external
        nonReentrant
    {
        if (
            config.payer == address(0) || config.receiver == address(0) || config.receiverAuthorizer == address(0)
                || config.token == address(0)
        ) revert InvalidChannel();
        if (config.withdrawDelay < MIN_WITHDRAW_DELAY || config.withdrawDelay > MAX_WITHDRAW_DELAY) {
            revert WithdrawDelayOutOfRange();
        }
        if (amount == 0) revert ZeroDeposit();
        if (collector.code.length == 0) revert InvalidCollector();
        bytes32 id = getChannelId(config);
        Channel storage channel = channels[id];
        if (amount > type(uint128).max - channel.balance) revert DepositOverflow();
        uint256 held = IERC20(config.token).balanceOf(address(this));
        ISandboxCollector(collector).collect(config.payer, config.token, amount, id, collectorData);
        // Neither less, which would be others' money, nor more, which would be nobody's.
        if (IERC20(config.token).balanceOf(address(this)) != held + amount) revert DepositCollectionFailed();
        if (channel.balance == 0 && channel.totalClaimed == 0) emit ChannelCreated(id, config);
        channel.balance += amount;
        emit Deposited(id, msg.sender, amount, channel.balance);
    }

    /// @notice Counts vouchers for the receiver who, or whose authorizer, calls. Moves nothing.
    function claim(VoucherClaim[] calldata voucherClaims) external nonReentrant {
        if (voucherClaims.length == 0) revert EmptyBatch();
        for (uint256 i = 0; i < voucherClaims.length; ++i) {
            ChannelConfig calldata config = voucherClaims[i].voucher.channel;
            if (msg.sender != config.receiver && msg.sender != config.receiverAuthorizer) {
                revert NotAuthorizedToClaim();
            }
            _claim(voucherClaims[i]);
        }
    }

    /// @notice The same for anyone who has the signature of the one authorizer of all these channels.
    function claimWithSignature(VoucherClaim[] calldata voucherClaims, bytes calldata authorizerSignature)
        external
        nonReentrant
    {
        if (voucherClaims.length == 0) revert EmptyBatch();
        address authorizer = voucherClaims[0].voucher.channel.receiverAuthorizer;
        for (uint256 i = 1; i < voucherClaims.length; ++i) {
            if (voucherClaims[i].voucher.channel.receiverAuthorizer != authorizer) revert NotReceiverAuthorizer();
        }
        _requireSigned(authorizer, getClaimBatchDigest(voucherClaims), authorizerSignature);
        for (uint256 i = 0; i < voucherClaims.length; ++i) _claim(voucherClaims[i]);
    }

    /// @notice Sends a receiver all that was claimed and not yet sent. Anyone may call it; with nothing to send it does nothing.
    function settle(address receiver, address token) external nonReentrant {
        Receiver storage its = receivers[receiver][token];
        uint128 amount = its.totalClaimed - its.totalSettled;
        if (amount == 0) return;
        its.totalSettled += amount;
        emit Settled(receiver, token, msg.sender, amount);
        SafeERC20.safeTransfer(IERC20(token), receiver, amount);
    }

    /// @notice Begins the payer's own way out: what is unclaimed when the delay is over.
    function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external nonReentrant {
        if (!_isPayersSide(config)) revert InvalidChannel();
        if (amount == 0) revert NothingToWithdraw();
        bytes32 id = getChannelId(config);
        if (pendingWithdrawals[id].amount != 0) revert WithdrawalAlreadyPending();
        if (amount > _unclaimed(channels[id])) revert WithdrawAmountExceedsAvailable();
        pendingWithdrawals[id] = Withdrawal({amount: amount, initiatedAt: uint40(block.timestamp)});
        emit WithdrawInitiated(id, amount, uint40(block.timestamp) + config.withdrawDelay);
    }

    /// @notice Ends it: pays what was asked for, or what claims have left of that.
    function finalizeWithdraw(ChannelConfig calldata config) external nonReentrant {
        if (!_isPayersSide(config)) revert NotAuthorizedToFinalizeWithdraw();
        bytes32 id = getChannelId(config);
        Withdrawal memory pending = pendingWithdrawals[id];
        if (pending.amount == 0) revert WithdrawalNotPending();
        if (block.timestamp < uint256(pending.initiatedAt) + config.withdrawDelay) revert WithdrawDelayNotElapsed();
        delete pendingWithdrawals[id];
        uint128 available = _unclaimed(channels[id]);
        uint128 amount = pending.amount < available ? pending.amount : available;
        emit WithdrawFinalized(id, msg.sender, amount);
        _payBack(config, id, amount);
    }

    /// @notice Gives back what is unclaimed, that much at most, on the call of the receiver's side.
    function refund(ChannelConfig calldata config, uint128 amount) external nonReentrant {
        if (msg.sender != config.receiver && msg.sender != config.receiverAuthorizer) revert NotAuthorizedToRefund();
        _refund(config, getChannelId(config), amount);
    }

    /// @notice The same for anyone who has the authorizer's signature over the channel's next nonce.
    function refundWithSignature(
        ChannelConfig calldata config,
        uint128 amount,
        uint256 nonce,
        bytes calldata receiverAuthorizerSignature
    ) external nonReentrant {
        bytes32 id = getChannelId(config);
        if (nonce != refundNonce[id]) revert InvalidRefundNonce();
        _requireSigned(config.receiverAuthorizer, getRefundDigest(id, nonce, amount), receiverAuthorizerSignature);
        _refund(config, id, amount);
    }

    function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, config)));
    }

    function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(VOUCHER_TYPEHASH, channelId, maxClaimableAmount)));
    }

    function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(REFUND_TYPEHASH, channelId, nonce, amount)));
    }

    function getClaimBatchDigest(VoucherClaim[] calldata voucherClaims) public view returns (bytes32) {
        bytes32[] memory entries = new bytes32[](voucherClaims.length);
        for (uint256 i = 0; i < voucherClaims.length; ++i) {
            Voucher calldata voucher = voucherClaims[i].voucher;
            entries[i] = keccak256(
                abi.encode(
                    CLAIM_ENTRY_TYPEHASH,
                    getChannelId(voucher.channel),
                    voucher.maxClaimableAmount,
                    voucherClaims[i].totalClaimed
                )
            );
        }
        return _hashTypedDataV4(keccak256(abi.encode(CLAIM_BATCH_TYPEHASH, keccak256(abi.encodePacked(entries)))));
    }

    /// @dev A total that does not rise counts nothing and is no failure, whatever else its row says: a batch survives that a row of it was claimed
    /// before, though its payer's code would no longer say yes to it.
    function _claim(VoucherClaim calldata row) private {
        ChannelConfig calldata config = row.voucher.channel;
        bytes32 id = getChannelId(config);
        Channel storage channel = channels[id];
        if (row.totalClaimed <= channel.totalClaimed) return;
        if (row.totalClaimed > row.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
        if (row.totalClaimed > channel.balance) revert ClaimExceedsBalance();
        bytes32 digest = getVoucherDigest(id, row.voucher.maxClaimableAmount);
        if (config.payerAuthorizer == address(0)) {
            _requireSigned(config.payer, digest, row.signature);
        } else {
            (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, row.signature);
            if (problem != ECDSA.RecoverError.NoError || signer != config.payerAuthorizer) revert InvalidSignature();
        }
        uint128 amount = row.totalClaimed - channel.totalClaimed;
        channel.totalClaimed = row.totalClaimed;
        receivers[config.receiver][config.token].totalClaimed += amount;
        emit Claimed(id, msg.sender, amount, row.totalClaimed);
    }

    /// @dev The nonce goes on even where nothing is left to give back, so that no signature can be used later.
    function _refund(ChannelConfig calldata config, bytes32 id, uint128 asked) private {
        if (asked == 0) revert ZeroRefund();
        ++refundNonce[id];
        uint128 available = _unclaimed(channels[id]);
        uint128 amount = asked < available ? asked : available;
        if (amount == 0) return;
        Withdrawal storage pending = pendingWithdrawals[id];
        if (pending.amount <= amount) delete pendingWithdrawals[id];
        else pending.amount -= amount;
        emit Refunded(id, msg.sender, amount);
        _payBack(config, id, amount);
    }

    function _payBack(ChannelConfig calldata config, bytes32 id, uint128 amount) private {
        if (amount == 0) return;
        Channel storage channel = channels[id];
        channel.balance -= amount;
        if (channel.balance == 0 && channel.totalClaimed == 0) emit ChannelClosed(id, config);
        SafeERC20.safeTransfer(IERC20(config.token), config.payer, amount);
    }

    function _unclaimed(Channel storage channel) private view returns (uint128) {
        return channel.balance - channel.totalClaimed;
    }

    function _isPayersSide(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.payer || msg.sender == config.payerAuthorizer;
    }

    function _requireSigned(address signer, bytes32 digest, bytes calldata signature) private view {
        if (!SignatureChecker.isValidSignatureNow(signer, digest, signature)) revert InvalidSignature();
    }
}
