// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title The part of Permit2 that payments use, written anew for sandbox chains.
/// @notice Transfers by signature with a witness, and the bitmap of their nonces: the functions, errors, domain and types that callers of the
/// public contract meet. It keeps no allowances of its own.
/// @dev Its runtime code is placed at another address than the one it was created at, so the domain is built at each call.
contract SandboxPermit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("Permit2");
    bytes32 private constant TOKEN_PERMISSIONS_TYPEHASH = keccak256("TokenPermissions(address token,uint256 amount)");
    string private constant WITNESS_TYPE_STUB =
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";

    /// @notice Which nonces of an owner are used: 256 of them in each word.
    mapping(address owner => mapping(uint256 word => uint256 bitmap)) public nonceBitmap;

    event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask);

    error SignatureExpired(uint256 signatureDeadline);
    error InvalidNonce();
    error InvalidAmount(uint256 maxAmount);
    error InvalidSignatureLength();
    error InvalidSigner();
    error InvalidContractSignature();

    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, block.chainid, address(this)));
    }

    /// @notice Moves a token as its owner signed for the caller, once.
    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata details,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
        if (details.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
        _use(owner, permit.nonce);
        bytes32 content = keccak256(
            abi.encode(
                keccak256(abi.encodePacked(WITNESS_TYPE_STUB, witnessTypeString)),
                keccak256(abi.encode(TOKEN_PERMISSIONS_TYPEHASH, permit.permitted.token, permit.permitted.amount)),
                msg.sender,
                permit.nonce,
                permit.deadline,
                witness
            )
        );
        _requireSigned(owner, keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), content)), signature);
        SafeERC20.safeTransferFrom(IERC20(permit.permitted.token), owner, details.to, details.requestedAmount);
    }

    /// @notice Uses up nonces of the caller, so that nothing that was signed with them moves anything.
    function invalidateUnorderedNonces(uint256 word, uint256 mask) external {
        nonceBitmap[msg.sender][word] |= mask;
        emit UnorderedNonceInvalidation(msg.sender, word, mask);
    }

    function _use(address owner, uint256 nonce) private {
        uint256 bit = 1 << (nonce & 0xff);
        uint256 before = nonceBitmap[owner][nonce >> 8];
        if (before & bit != 0) revert InvalidNonce();
        nonceBitmap[owner][nonce >> 8] = before | bit;
    }

    /// @dev An owner with code is asked (EIP-1271), and its key is not looked at.
    function _requireSigned(address owner, bytes32 digest, bytes calldata signature) private view {
        if (owner.code.length > 0) {
            if (!SignatureChecker.isValidERC1271SignatureNow(owner, digest, signature)) {
                revert InvalidContractSignature();
            }
            return;
        }
        bytes32 r;
        bytes32 s;
        uint8 v;
        if (signature.length == 65) {
            (r, s) = abi.decode(signature[:64], (bytes32, bytes32));
            v = uint8(signature[64]);
        } else if (signature.length == 64) {
            bytes32 vs;
            (r, vs) = abi.decode(signature, (bytes32, bytes32));
            s = vs & bytes32(type(uint256).max >> 1);
            v = uint8(uint256(vs >> 255)) + 27;
        } else {
            revert InvalidSignatureLength();
        }
        address signer = ecrecover(digest, v, r, s);
        if (signer == address(0) || signer != owner) revert InvalidSigner();
    }
}
